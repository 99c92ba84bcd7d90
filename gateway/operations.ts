import type { IncomingMessage, ServerResponse } from 'node:http';
import { AccessLimits } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { IdentityLimits } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { SsoLimits } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { decodeJson } from '@bailiwick/proto/json/decode.ts';
import { encodeJson } from '@bailiwick/proto/json/encode.ts';
import type { Host, Operation } from '@bailiwick/proto/operation.ts';
import { validate } from '@bailiwick/proto/validate.ts';
import { type Caller, serviceCaller } from '@bailiwick/shared/caller.ts';
import { fieldText, tenantField } from '@bailiwick/shared/dispatch.ts';
import { invalid, toServiceError } from '@bailiwick/shared/errors.ts';
import { asService, contextFor } from '@bailiwick/shared/rpc.ts';
import { readBody } from '@bailiwick/shared/serve.ts';
import type { Message } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import type { Authenticator, RequestOrigin } from './authenticate.ts';
import type { SessionCookie } from './cookies.ts';
import { sendJson } from './errors.ts';
import type { CallQuotas } from './quotas.ts';
import { pieceOf, sendStream } from './stream.ts';

export type Peers = Record<Host, Transport>;

type Means = {
  peers: Peers;
  authenticator: Authenticator;
  cookie: SessionCookie;
  quotas: CallQuotas;
};

const maxBodyBytes = 1024 * 1024;
const deadlineMs = 20_000;
const judgeMs = 2000;

/**
 * Runs any operation from its descriptor: there is no code for one operation in the gateway. The checks come in the
 * documented order: rate limit by address (429), body limit, JSON, credential (401), shape (400), permission (403), state (400).
 */
export function createOperationHandler({ peers, authenticator, cookie, quotas }: Means) {
  const countCall = createCallCounter(peers);
  const judge = createJudge(peers);
  return async (
    operation: Operation,
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
  ): Promise<void> => {
    await countCall(operation, origin.ip);
    const json = await readJson(request);
    // Whatever is sent to an open operation is not looked at, a browser's cookie included.
    const isOpen = operation.credential === 'none';
    const token = isOpen ? '' : tokenOf(request, cookie);
    const principal = isOpen ? undefined : await authenticator.principal(token, origin.ip);

    const { message, problems } = decodeJson(operation.method.input, json, operation.assigned);
    problems.push(...validate(operation.method.input, message));
    const tenantPath = tenantField(operation);
    const tenant = fieldText(operation, message, tenantPath);
    if (principal) quotas.take(principal);
    const callerFor = (): Promise<Caller> | Caller =>
      principal
        ? authenticator.caller(principal, operation, tenant, origin)
        : authenticator.anonymous(origin);
    let caller: Caller | undefined;
    if (operation.defaultTenant && tenant === '') {
      caller = await callerFor();
      if (caller.tenant === '') problems.push('Tenant is required');
    }
    if (problems.length > 0)
      throw invalid([...new Set([...problems, ...(await judge(operation, message, origin))])]);
    caller ??= await callerFor();
    if (tenantPath !== '') quotas.takeTenant(caller);

    const gone = goneSignal(response);
    const send = async (by: Caller) => {
      const answer = await peers[operation.host].unary(
        operation.method,
        gone,
        deadlineMs,
        undefined,
        message,
        contextFor(by),
      );
      return encodeJson(operation.method.output, answer.message, operation.nullWhenAbsent);
    };
    const body = await send(caller);
    if (operation.stream) {
      // Who loses the right meanwhile gets no more.
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
      // A token that scripts can read would be worth nothing in a cookie that they cannot.
      body['Token'] = '';
    }
    sendJson(response, 200, body);
  };
}

/** Counts the calls of open operations by client address, in the owning service and before the body is read. */
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
  return async ({ rate, host }: Operation, ip: string): Promise<void> => {
    if (rate !== '') await limits[host]?.take({ rate, ip });
  };
}

/**
 * Asks the owning service what else is wrong with a request that is refused: some of it only its settings and tables tell.
 * Where the service does not answer soon, what is known already has to do.
 */
function createJudge(peers: Peers) {
  return async (
    { host, method }: Operation,
    message: Message,
    { requestId }: RequestOrigin,
  ): Promise<readonly string[]> => {
    const context = contextFor({ ...serviceCaller('gateway'), requestId, judgeOnly: true });
    try {
      await peers[host].unary(method, undefined, judgeMs, undefined, message, context);
      return [];
    } catch (thrown) {
      const { code, messages } = toServiceError(thrown);
      return code === 'invalid_argument' ? messages : [];
    }
  };
}

/** The credential of a request: the header's or, where there is none, the browser's cookie. */
function tokenOf(request: IncomingMessage, cookie: SessionCookie): string {
  const { authorization } = request.headers;
  if (authorization === undefined) return cookie.read(request) ?? '';
  return /^Bearer ([^\s]+)$/i.exec(authorization)?.[1] ?? '';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw invalid('Content-Type must be application/json', 'CONTENT_TYPE');
  const body = await readBody(request, maxBodyBytes);
  if (!body) throw invalid('the body must be at most 1 MiB', 'BODY_TOO_LARGE');
  const json = parseJson(body);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw invalid('the body must be a JSON object', 'NOT_AN_OBJECT');
  return json as Record<string, unknown>;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw invalid('the body must be JSON in UTF-8', 'NOT_JSON');
  }
}

// Nobody waits for the answer of a client that has gone.
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
