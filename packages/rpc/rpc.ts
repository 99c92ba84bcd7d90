import {
  type Caller,
  type CallerSigner,
  callerHeader,
  currentRequestId,
  serviceCaller,
} from '@bailiwick/call';
import { toConnectError, toServiceError, unavailable } from '@bailiwick/errors';
import { idempotencyKeyHeader, replayedHeader } from '@bailiwick/idempotency';
import { operationOf } from '@bailiwick/proto/registry.ts';
import { currentTraceparent, traceparentHeader } from '@bailiwick/telemetry';
import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type StreamResponse,
  type Transport,
  type UnaryResponse,
} from '@connectrpc/connect';
import { errorFromJsonBytes } from '@connectrpc/connect/protocol-connect';
import { Pool } from 'undici';
import { callOut, timed } from './calls.ts';
import { hopAgent, unprocessedHeader } from './connections.ts';
import type { Dispatch, Exchange } from './dispatch.ts';
import { probeFailed, probingConnector } from './probe.ts';
import { connectingTimeoutMs, NoResponseError, refusedTimeoutMs, withRetries } from './retry.ts';
import type { Tls } from './tls.ts';

// Calls between processes. A unary Connect call is an HTTP POST of `application/proto`, so the
// default transport is just that, over a pool of kept-alive HTTP/1.1 connections: less than half
// the CPU of connect-node's own client (docs/performance.md, G5). Any Connect client works too.

/** The caller of a call. Set on the context of every call that leaves a process. */
const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'caller' });

/** The context of a call in the name of `caller`. */
export const contextFor = (caller: Caller): ContextValues =>
  createContextValues().set(callerKey, caller);

const defaultTimeoutMs = 15_000;
/**
 * Connections are replaced often, so that new replicas get their share of the calls within seconds.
 */
const connectionAgeMs = 10_000;

/** A transport with connections to close. */
export type WireTransport = Transport & { close(): Promise<void> };

/**
 * The address of a service, its name in caller tokens (`audience`), and how to sign and connect.
 */
export type WireOptions = {
  url: string;
  audience: string;
  sign: CallerSigner;
  tls?: Tls | undefined;
  /** Lifetime of an HTTP connection. Set by tests. */
  connectionAgeMs?: number;
};

/** One attempt of a call. `signal` cancels it. */
export type Attempt = {
  method: DescMethodUnary;
  headers: Record<string, string>;
  body: Uint8Array;
  timeoutMs: number;
  signal: AbortSignal | undefined;
};

/** A response message, and whether it was replayed for the same Idempotency-Key. */
export type WireAnswer = { body: Uint8Array; replayed: boolean };

/**
 * Sends attempts. Throws a ConnectError for an error response, and NoResponseError if there is no
 * response.
 */
export type Wire = {
  system: 'connectrpc' | 'grpc';
  send(attempt: Attempt): Promise<WireAnswer>;
  close(): Promise<void>;
};

/** A transport to one service: signed, with one deadline for all attempts. */
export function createWireTransport({ audience, sign }: WireOptions, wire: Wire): WireTransport {
  return {
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number = defaultTimeoutMs,
      header: ConstructorParameters<typeof Headers>[0],
      input: MessageInitShape<I>,
      context?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      const body = toBinary(method.input, create(method.input, input));
      const caller = sign(requireCaller(context), audience);
      const { body: bytes, replayed } = await callOut(
        { service: audience, method, system: wire.system },
        () => {
          const headers = { [callerHeader]: caller, ...traceHeader(), ...keyHeader(header) };
          const attempt = (remainingMs: number) =>
            wire.send({ method, headers, body, signal, timeoutMs: Math.ceil(remainingMs) });
          return withRetries({ method, timeoutMs, signal }, attempt).catch((error: unknown) =>
            Promise.reject(rpcError(error)),
          );
        },
      );
      return response(method, fromBinary(method.output, bytes), replayed);
    },
    stream: noStream,
    close: () => wire.close(),
  };
}

/** A transport to one service over HTTP. `sign` makes the caller token for that service. */
export function createHttpTransport(options: WireOptions): WireTransport {
  const pool = new Pool(options.url, {
    connections: 128,
    // Shorter than the server's, so that the client never uses a connection that the server is
    // closing.
    keepAliveTimeout: 20_000,
    keepAliveMaxTimeout: 20_000,
    clientTtl: options.connectionAgeMs ?? connectionAgeMs,
    allowH2: false,
    connect: probingConnector({
      connectMs: refusedTimeoutMs,
      probeMs: connectingTimeoutMs,
      tls: options.tls,
    }),
  });

  async function send({ method, headers, body, timeoutMs, signal }: Attempt): Promise<WireAnswer> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const response = await pool.request({
      method: 'POST',
      path: `/${method.parent.typeName}/${method.name}`,
      headers: {
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
        'connect-timeout-ms': String(timeoutMs),
        'user-agent': hopAgent,
        ...headers,
      },
      body,
      bodyTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    if (response.statusCode === 200)
      return { body: bytes, replayed: response.headers[replayedHeader] !== undefined };
    const failure = new ConnectError(`HTTP ${response.statusCode}`, Code.Unavailable);
    if (response.headers[unprocessedHeader] !== undefined) throw new NoResponseError(true, failure);
    if (!String(response.headers['content-type']).startsWith('application/json')) {
      // Connect's response for an unknown method: the service is an older version.
      if (response.statusCode === 404)
        throw new ConnectError('the service does not know this method', Code.Unimplemented);
      // Not our format: a proxy answered for a service that it could not reach.
      throw new NoResponseError(false, failure);
    }
    throw errorFromJsonBytes(bytes, undefined, failure);
  }

  return createWireTransport(options, {
    system: 'connectrpc',
    send: (attempt) =>
      send(attempt).catch((error: unknown) =>
        Promise.reject(error instanceof ConnectError ? error : noResponse(error)),
      ),
    close: () => pool.close(),
  });
}

// A failed probe means that nothing was sent.
function noResponse(error: unknown): NoResponseError {
  if (error instanceof NoResponseError) return error;
  return new NoResponseError((error as NodeJS.ErrnoException).code === probeFailed, error);
}

/**
 * A transport to services in the same process: the same pipeline without a wire. Their dispatch is
 * set later, with `connect`.
 */
export function createLocalTransport(): Transport & { connect(dispatch: Dispatch): void } {
  let dispatch: Dispatch | undefined;
  return {
    connect(target) {
      dispatch = target;
    },
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: MessageInitShape<I>,
      context?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      const target = dispatch;
      if (!target) throw toConnectError(unavailable());
      try {
        const request = create(method.input, input);
        const caller = requireCaller(context);
        const deadline = AbortSignal.timeout(timeoutMs ?? defaultTimeoutMs);
        const ends = signal ? AbortSignal.any([signal, deadline]) : deadline;
        const exchange: Exchange = { idempotencyKey: keyHeader(header)[idempotencyKeyHeader] };
        const message = await timed(operationOf(method).host, () =>
          before(ends, target(method, request, caller, ends, exchange)),
        );
        return response(method, message as UnaryResponse<I, O>['message'], exchange.replayed);
      } catch (error) {
        throw toConnectError(toServiceError(error));
      }
    },
    stream: noStream,
  };
}

/**
 * The result of work, or `unavailable` once the signal aborts. As over the wire, the caller gets
 * its response at its deadline, and the work continues until it notices.
 */
function before<T>(ends: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(unavailable());
    const settled = () => ends.removeEventListener('abort', end);
    ends.addEventListener('abort', end, { once: true });
    if (ends.aborted) end();
    void work.then(resolve, reject).finally(settled);
  });
}

/** Wraps a transport for calls in a service's own name, as part of the current request. */
export function asService(transport: Transport, service: string): Transport {
  const own = () => contextFor(serviceCaller(service, currentRequestId()));
  return {
    unary: (method, signal, timeoutMs, header, input, context) =>
      transport.unary(
        method,
        signal,
        timeoutMs,
        header,
        input,
        context?.get(callerKey) ? context : own(),
      ),
    stream: noStream,
  };
}

/** The traceparent header of a call. */
function traceHeader(): Record<string, string> {
  const traceparent = currentTraceparent();
  return traceparent === '' ? {} : { [traceparentHeader]: traceparent };
}

/** The client's Idempotency-Key, the only one of the caller's headers that is passed on. */
function keyHeader(header: ConstructorParameters<typeof Headers>[0]): {
  [idempotencyKeyHeader]?: string;
} {
  const key = header === undefined ? null : new Headers(header).get(idempotencyKeyHeader);
  return key === null ? {} : { [idempotencyKeyHeader]: key };
}

function requireCaller(context: ContextValues | undefined): Caller {
  const caller = context?.get(callerKey);
  if (!caller) throw new Error('a call between services was made without a caller');
  return caller;
}

const rpcError = (error: unknown) =>
  error instanceof ConnectError
    ? error
    : new ConnectError(
        'the service does not answer',
        Code.Unavailable,
        undefined,
        undefined,
        error,
      );

function response<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  message: UnaryResponse<I, O>['message'],
  replayed = false,
): UnaryResponse<I, O> {
  const header = new Headers(replayed ? { [replayedHeader]: 'true' } : {});
  return { stream: false, service: method.parent, method, header, trailer: new Headers(), message };
}

function noStream<I extends DescMessage, O extends DescMessage>(
  _method: DescMethodStreaming<I, O>,
): Promise<StreamResponse<I, O>> {
  return Promise.reject(new ConnectError('no operation streams', Code.Unimplemented));
}
