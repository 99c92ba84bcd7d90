import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  arePositions,
  type Caller,
  encodeJson,
  type Host,
  idempotencyKeyHeader,
  type JsonObject,
  jsonPath,
  noteValid,
  type Operation,
  positionHeader,
  replayedHeader,
  setField,
  tenantDependsOnCaller,
  tenantField,
  tenantProblems,
} from '@bailiwick/contract';
import { exhausted, isUnreadable } from '@bailiwick/errors';
import { AccessLimits } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { IdentityLimits } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { NotificationsLimits } from '@bailiwick/proto/gen/bailiwick/notifications/v1/internal_pb.ts';
import { SsoLimits } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { asService, contextFor } from '@bailiwick/wire';
import type { Message } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import { sendJson } from '../http/errors.ts';
import { type JsonBody, readJson } from '../http/json-body.ts';
import { showQuota } from '../http/rate-limit.ts';
import { pieceOf, sendStream } from '../http/stream.ts';
import type { Peers } from '../peers.ts';
import { isAccessToken } from '../session/access-tokens.ts';
import type { Authenticator, RequestOrigin } from '../session/authenticate.ts';
import type { LinkCookie, SessionCookie, SupportCookie } from '../session/cookies.ts';
import type { Principal } from '../session/principal.ts';
import type { CallQuotas } from './quotas.ts';
import { createRejection, decode, type UnknownKeys } from './shape.ts';

type Cookies = { cookie: SessionCookie; support: SupportCookie; link: LinkCookie };

type Deps = Cookies & {
  peers: Peers;
  authenticator: Authenticator;
  quotas: CallQuotas;
  unknownKeys: UnknownKeys;
};

const deadlineMs = 20_000;

/** A request whose body is read and whose credential is checked. */
type IncomingCall = JsonBody & {
  request: IncomingMessage;
  response: ServerResponse;
  origin: RequestOrigin;
  token: string;
  principal: Principal | undefined;
  /** Aborts when the client disconnects before the response is complete. */
  signal: AbortSignal;
};

export type Pipeline = ReturnType<typeof createPipeline>;

/**
 * The checks of every call, from its operation's descriptor: the gateway has no code for single
 * operations. They run in the documented order: rate limit by address (429), body limit, JSON,
 * credential (401), shape (400), permission (403), state (400).
 */
export function createPipeline(deps: Deps) {
  const { peers, authenticator, link, quotas, unknownKeys } = deps;
  const countCall = createCallCounter(peers);
  const rejectInvalid = createRejection(peers);
  const forward = createForwarding(peers);

  async function receive(
    operation: Operation,
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
    read: typeof readJson = readJson,
  ): Promise<IncomingCall> {
    await countCall(operation, origin.ip, response);
    const body = await read(request, response, origin.ip);
    // Open operations ignore all credentials, including a browser's cookie.
    const isOpen = operation.credential === 'none';
    const token = isOpen ? '' : tokenOf(request, deps);
    const principal = isOpen ? undefined : await authenticator.principal(token, origin.ip);
    return {
      ...body,
      request,
      response,
      origin,
      token,
      principal,
      signal: disconnectSignal(response),
    };
  }

  /** Validates a request and finds its caller. The result sends it to the owning service. */
  async function prepare(operation: Operation, incoming: IncomingCall) {
    const { request, response, origin, token, principal, json, bytes, signal } = incoming;
    const decoded = decode(operation, request, json, unknownKeys);
    const { message, problems, unreadable, key, tenant } = decoded;
    if (operation.linkCookie !== '')
      setField(operation, message, operation.linkCookie, link.read(request) ?? '');
    if (principal) takeQuota(quotas, principal, response);
    const callerOf = (by: Principal | undefined): Promise<Caller> | Caller =>
      by ? authenticator.caller(by, operation, tenant, origin) : authenticator.anonymous(origin);
    const early = tenantDependsOnCaller(operation, message) ? await callerOf(principal) : undefined;
    const tenantPath = tenantField(operation);
    if (tenantPath !== '' && !isUnreadable(jsonPath(operation, tenantPath), unreadable))
      problems.push(...tenantProblems(operation, message, early));
    if (problems.length > 0) await rejectInvalid(operation, decoded, bytes, origin);
    noteValid(message);
    const caller = early ?? (await callerOf(principal));
    if (tenantPath !== '') quotas.takeTenant(caller);

    const send = (by: Caller, input: Message) =>
      forward({ operation, message: input, key, request, response, signal }, by);
    return {
      send: () => send(caller, message),
      /** Checks the right again for each piece: a revoked caller gets no further data. */
      async sendPiece(cursor: string) {
        const again = await authenticator.principal(token, origin.ip);
        const piece = { ...message, cursor };
        return send(await callerOf(again), piece);
      },
    };
  }

  return { receive, prepare };
}

/** Runs any operation and sends its answer. */
export function createOperationHandler({ receive, prepare }: Pipeline, cookies: Cookies) {
  const { link } = cookies;
  return async (
    operation: Operation,
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
  ): Promise<void> => {
    const incoming = await receive(operation, request, response, origin);
    const call = await prepare(operation, incoming);
    const body = await call.send();
    if (operation.stream) {
      const next = async (cursor: string) => pieceOf(await call.sendPiece(cursor));
      return sendStream(response, incoming.signal, operation.name, pieceOf(body), next);
    }
    moveToken(operation, incoming.json, body, { ...cookies, response });
    if (operation.linkCookie !== '') link.clear(response);
    sendJson(response, 200, body);
  };
}

/** Counts the call of a credential. @throws resource_exhausted if the credential is over its quota */
function takeQuota(quotas: CallQuotas, principal: Principal, response: ServerResponse): void {
  const quota = quotas.take(principal);
  if (!quota) return;
  showQuota(response, quota);
  if (quota.exceeded) throw exhausted('too many calls, try again later', quota.resetSeconds);
}

type ForwardedCall = {
  operation: Operation;
  message: Message;
  key: string | undefined;
  request: IncomingMessage;
  response: ServerResponse;
  signal: AbortSignal;
};

/** Calls the owning service in the caller's name, and returns its answer as JSON. */
function createForwarding(peers: Peers) {
  return async (
    { operation, message, key, request, response, signal }: ForwardedCall,
    by: Caller,
  ) => {
    const positions = positionsOf(operation, request);
    const header = {
      ...(key !== undefined && { [idempotencyKeyHeader]: key }),
      ...(positions !== undefined && { [positionHeader]: positions }),
    };
    const answer = await peers[operation.host].unary(
      operation.method,
      signal,
      deadlineMs,
      header,
      message,
      contextFor(by),
    );
    if (answer.header.has(replayedHeader)) response.setHeader(replayedHeader, 'true');
    const position = answer.header.get(positionHeader);
    if (position !== null) response.setHeader(positionHeader, position);
    return encodeJson(operation.method.output, answer.message, operation.nullWhenAbsent);
  };
}

/** The positions of a request, or undefined if only the primary may answer it. */
function positionsOf({ fromReplica }: Operation, { headers }: IncomingMessage): string | undefined {
  const text = headers[positionHeader];
  return fromReplica && typeof text === 'string' && arePositions(text) ? text : undefined;
}

/** Moves the answer's token into its cookie, if the operation and the request say so. */
function moveToken(
  { sessionCookie }: Operation,
  json: JsonBody['json'],
  body: JsonObject,
  { cookie, support, response }: Omit<Cookies, 'link'> & { response: ServerResponse },
): void {
  if (sessionCookie === 'clear') cookie.clear(response);
  if (sessionCookie === 'clearSupport') support.clear(response);
  const issued = body['Token'];
  const moves = sessionCookie === 'set' || sessionCookie === 'setSupport';
  if (!moves || json['Cookie'] !== true || typeof issued !== 'string') return;
  // The sign-in goes on with a second factor.
  if (issued === '') return;
  (sessionCookie === 'set' ? cookie : support).set(response, issued);
  // A token that scripts can read would defeat the purpose of the HttpOnly cookie.
  body['Token'] = '';
}

/**
 * Counts the calls of open operations by client address. The owning service counts, before the body
 * is read.
 */
function createCallCounter(peers: Peers) {
  const limits: Record<
    Host,
    | Client<typeof IdentityLimits>
    | Client<typeof AccessLimits>
    | Client<typeof SsoLimits>
    | Client<typeof NotificationsLimits>
  > = {
    identity: createClient(IdentityLimits, asService(peers.identity, 'gateway')),
    access: createClient(AccessLimits, asService(peers.access, 'gateway')),
    sso: createClient(SsoLimits, asService(peers.sso, 'gateway')),
    notifications: createClient(NotificationsLimits, asService(peers.notifications, 'gateway')),
  };
  return async ({ rate, host }: Operation, ip: string, response: ServerResponse): Promise<void> => {
    const state = rate === '' ? undefined : await limits[host].take({ rate, ip, report: true });
    // No limit, or an older service version, which rejects the call itself.
    if (!state || state.limit === 0) return;
    showQuota(response, { name: rate, ...state });
    if (state.exceeded) throw exhausted('too many requests, try again later', state.resetSeconds);
  };
}

/** The request's credential: the Authorization header's or, without one, a cookie's. */
function tokenOf(
  request: IncomingMessage,
  { cookie, support }: Pick<Cookies, 'cookie' | 'support'>,
): string {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    // Never the operator's own session instead: the call would act for the wrong user.
    if (support.isWanted(request)) return support.read(request);
    const token = cookie.read(request) ?? '';
    // Apps send their access tokens in the header only (RFC 6750, section 2.1).
    return isAccessToken(token) ? '' : token;
  }
  return bearerOf(authorization);
}

/** The bearer token of an Authorization header, '' = none. */
export const bearerOf = (authorization: string): string =>
  // One blank or more (RFC 9110, section 11.4).
  /^Bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? '';

// Aborts when the client disconnects before the response is complete.
function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
