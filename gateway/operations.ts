import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, serviceCaller } from '@bailiwick/call';
import { exhausted, invalid, toServiceError } from '@bailiwick/errors';
import { idempotencyKeyHeader, isIdempotencyKey, replayedHeader } from '@bailiwick/idempotency';
import { AccessLimits } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { IdentityLimits } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { SsoLimits } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { decodeJson } from '@bailiwick/proto/json/decode.ts';
import { encodeJson } from '@bailiwick/proto/json/encode.ts';
import { isUnreadable, pathOf } from '@bailiwick/proto/json/paths.ts';
import { type Host, jsonPath, type Operation, tenantField } from '@bailiwick/proto/operation.ts';
import { validate } from '@bailiwick/proto/validate.ts';
import {
  asService,
  contextFor,
  fieldText,
  tenantDependsOnCaller,
  tenantProblems,
} from '@bailiwick/rpc';
import type { Message } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import type { Authenticator, RequestOrigin } from './authenticate.ts';
import type { SessionCookie } from './cookies.ts';
import { sendJson } from './errors.ts';
import { readJson } from './json-body.ts';
import { largeBodyBytes } from './large-bodies.ts';
import type { CallQuotas } from './quotas.ts';
import { showQuota } from './rate-limit.ts';
import { pieceOf, sendStream } from './stream.ts';

export type Peers = Record<Host, Transport>;

type Deps = {
  peers: Peers;
  authenticator: Authenticator;
  cookie: SessionCookie;
  quotas: CallQuotas;
  unknownKeys: 'refuse' | 'ignore';
};

const deadlineMs = 20_000;
const validateOnlyMs = 2000;

/**
 * Runs any operation from its descriptor: the gateway has no code for single operations. The checks
 * run in the documented order: rate limit by address (429), body limit, JSON, credential (401),
 * shape (400), permission (403), state (400).
 */
export function createOperationHandler({
  peers,
  authenticator,
  cookie,
  quotas,
  unknownKeys,
}: Deps) {
  const countCall = createCallCounter(peers);
  const validateOnly = createValidateOnly(peers);
  return async (
    operation: Operation,
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
  ): Promise<void> => {
    await countCall(operation, origin.ip, response);
    const { json, bytes } = await readJson(request, response, origin.ip);
    // Open operations ignore all credentials, including a browser's cookie.
    const isOpen = operation.credential === 'none';
    const token = isOpen ? '' : tokenOf(request, cookie);
    const principal = isOpen ? undefined : await authenticator.principal(token, origin.ip);

    const { message, problems, unreadable } = decodeJson(operation.method.input, json, {
      assigned: operation.assigned,
      unknownKeys,
    });
    problems.push(...validate(operation.method.input, message, unreadable));
    const key = keyOf(operation, request);
    if (key !== undefined && !isIdempotencyKey(key))
      problems.push('Idempotency-Key must be 1 to 255 printable ASCII characters');
    const tenantPath = tenantField(operation);
    const tenant = fieldText(operation, message, tenantPath);
    const quota = principal && quotas.take(principal);
    if (quota) {
      showQuota(response, quota);
      if (quota.exceeded) throw exhausted('too many calls, try again later', quota.resetSeconds);
    }
    const callerFor = (): Promise<Caller> | Caller =>
      principal
        ? authenticator.caller(principal, operation, tenant, origin)
        : authenticator.anonymous(origin);
    let caller = tenantDependsOnCaller(operation, message) ? await callerFor() : undefined;
    if (tenantPath !== '' && !isUnreadable(jsonPath(operation, tenantPath), unreadable))
      problems.push(...tenantProblems(operation, message, caller));
    if (problems.length > 0) {
      // The decoded message lacks values that could not be read, so the service would report them
      // as missing.
      const known = new Set(validate(operation.method.input, message));
      // A large body would cost the service as much memory as it costs here, for a request that is
      // already rejected.
      const found = bytes > largeBodyBytes ? [] : await validateOnly(operation, message, origin);
      const others = found.filter(
        (text) => !known.has(text) && !isUnreadable(pathOf(text), unreadable),
      );
      throw invalid([...new Set([...problems, ...others])]);
    }
    caller ??= await callerFor();
    if (tenantPath !== '') quotas.takeTenant(caller);

    const gone = goneSignal(response);
    const send = async (by: Caller) => {
      const header = key === undefined ? undefined : { [idempotencyKeyHeader]: key };
      const answer = await peers[operation.host].unary(
        operation.method,
        gone,
        deadlineMs,
        header,
        message,
        contextFor(by),
      );
      if (answer.header.has(replayedHeader)) response.setHeader(replayedHeader, 'true');
      return encodeJson(operation.method.output, answer.message, operation.nullWhenAbsent);
    };
    const body = await send(caller);
    if (operation.stream) {
      // Checks the right again for each piece: a revoked caller gets no further data.
      const next = async (cursor: string) => {
        Object.assign(message, { cursor });
        return pieceOf(
          await send(
            await authenticator.caller(
              await authenticator.principal(token, origin.ip),
              operation,
              tenant,
              origin,
            ),
          ),
        );
      };
      return sendStream(response, gone, operation.name, pieceOf(body), next);
    }
    if (operation.sessionCookie === 'clear') cookie.clear(response);
    const issued = body['Token'];
    if (
      operation.sessionCookie === 'set' &&
      json['Cookie'] === true &&
      typeof issued === 'string'
    ) {
      cookie.set(response, issued);
      // A token that scripts can read would defeat the purpose of the HttpOnly cookie.
      body['Token'] = '';
    }
    sendJson(response, 200, body);
  };
}

/**
 * Counts the calls of open operations by client address. The owning service counts, before the body
 * is read.
 */
function createCallCounter(peers: Peers) {
  const limits: Partial<
    Record<
      Host,
      Client<typeof IdentityLimits> | Client<typeof AccessLimits> | Client<typeof SsoLimits>
    >
  > = {
    identity: createClient(IdentityLimits, asService(peers.identity, 'gateway')),
    access: createClient(AccessLimits, asService(peers.access, 'gateway')),
    sso: createClient(SsoLimits, asService(peers.sso, 'gateway')),
  };
  return async ({ rate, host }: Operation, ip: string, response: ServerResponse): Promise<void> => {
    const state = rate === '' ? undefined : await limits[host]?.take({ rate, ip, report: true });
    // No limit, or an older service version, which rejects the call itself.
    if (!state || state.limit === 0) return;
    showQuota(response, { name: rate, ...state });
    if (state.exceeded) throw exhausted('too many requests, try again later', state.resetSeconds);
  };
}

/**
 * Asks the owning service to validate a request that is already rejected: only the service knows
 * the rules in its settings and tables. If it does not respond in time, the client gets the
 * problems found so far.
 */
function createValidateOnly(peers: Peers) {
  return async (
    { host, method }: Operation,
    message: Message,
    { requestId }: RequestOrigin,
  ): Promise<readonly string[]> => {
    const context = contextFor({ ...serviceCaller('gateway'), requestId, judgeOnly: true });
    try {
      await peers[host].unary(method, undefined, validateOnlyMs, undefined, message, context);
      return [];
    } catch (thrown) {
      const { code, messages } = toServiceError(thrown);
      return code === 'invalid_argument' ? messages : [];
    }
  };
}

/** The request's credential: the Authorization header's or, without one, the cookie's. */
function tokenOf(request: IncomingMessage, cookie: SessionCookie): string {
  const { authorization } = request.headers;
  if (authorization === undefined) return cookie.read(request) ?? '';
  return /^Bearer ([^\s]+)$/i.exec(authorization)?.[1] ?? '';
}

/** The request's Idempotency-Key; undefined if there is none or the operation takes none. */
function keyOf(
  { takesIdempotencyKey }: Operation,
  { headers }: IncomingMessage,
): string | undefined {
  const key = takesIdempotencyKey ? headers[idempotencyKeyHeader] : undefined;
  return Array.isArray(key) ? key.join(', ') : key;
}

// Aborts when the client disconnects before the response is complete.
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
