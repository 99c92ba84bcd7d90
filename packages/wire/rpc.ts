import {
  type Caller,
  idempotencyKeyHeader,
  operationOf,
  positionHeader,
  serviceCaller,
} from '@bailiwick/contract';
import { callerRefusalIn, toConnectError, toServiceError, unavailable } from '@bailiwick/errors';
import { currentTraceparent, type Tls, traceparentHeader } from '@bailiwick/process';
import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
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
import { type CallerSigner, callerHeader } from './caller-tokens.ts';
import { callOut, timed } from './calls.ts';
import { startDeadline } from './deadline.ts';
import { answerHeaders, type Dispatch, type Exchange } from './dispatch.ts';
import type { OwnTokens } from './own-tokens.ts';
import { NoResponseError, withRetries } from './retry.ts';

// Calls between processes. A unary Connect call is an HTTP POST of `application/proto`, so the
// default transport is just that, over a pool of kept-alive HTTP/1.1 connections: less than half
// the CPU of connect-node's own client (docs/performance.md, G5). Any Connect client works too.

/** The caller of a call. Set on the context of every call that leaves a process. */
const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'caller' });

/** The context of a call in the name of `caller`. */
export const contextFor = (caller: Caller): ContextValues =>
  createContextValues().set(callerKey, caller);

const defaultTimeoutMs = 15_000;
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
  /** Gets what the service thinks of this process's tokens. */
  tokens?: OwnTokens | undefined;
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

/** A response message, with the headers before it and the trailers after it. */
export type WireAnswer = { body: Uint8Array; metadata: () => Metadata };

export type Metadata = { header: Headers; trailer: Headers };

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
export function createWireTransport(
  { audience, sign, tokens }: WireOptions,
  wire: Wire,
): WireTransport {
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
      const answer = await callOut({ service: audience, method, system: wire.system }, () => {
        const headers = { ...headersOf(header), [callerHeader]: caller, ...traceHeader() };
        const attempt = (remainingMs: number) =>
          wire.send({ method, headers, body, signal, timeoutMs: limitOf(remainingMs) });
        return withRetries({ method, timeoutMs, signal }, attempt).catch((error: unknown) => {
          throw rpcError(error, audience, tokens);
        });
      });
      tokens?.accepted(audience);
      return response(method, messageIn(method, answer), answer.metadata);
    },
    stream: noStream,
    close: () => wire.close(),
  };
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
        const headers = headersOf(header);
        const exchange: Exchange = {
          idempotencyKey: headers[idempotencyKeyHeader],
          positions: headers[positionHeader],
        };
        const limits = { timeoutMs: timeoutMs ?? defaultTimeoutMs, signal };
        const message = await timed(operationOf(method).host, () =>
          withDeadline(limits, (ends) => target(method, request, caller, ends, exchange)),
        );
        const metadata = { header: headerOf(exchange), trailer: noHeaders };
        return response(method, message as MessageShape<O>, () => metadata);
      } catch (error) {
        throw toConnectError(toServiceError(error));
      }
    },
    stream: noStream,
  };
}

/**
 * The result of work, or `unavailable` at its deadline or once its caller is gone. As over the wire,
 * the caller gets its response then, and the work continues until it notices.
 */
function withDeadline<T>(
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
  work: (ends: () => AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = startDeadline(limitOf(timeoutMs), () => reject(unavailable()));
    const finish = () => {
      deadline.finish();
      signal?.removeEventListener('abort', deadline.end);
    };
    signal?.addEventListener('abort', deadline.end);
    if (signal?.aborted) deadline.end();
    void work(deadline.signal).then(resolve, reject).finally(finish);
  });
}

/** A deadline of 0 means no time limit: a call without time left gets the shortest. */
const limitOf = (remainingMs: number): number => Math.max(1, Math.ceil(remainingMs));

/** Wraps a transport for calls in a service's own name, which belong to no call of a client. */
export function asService(transport: Transport, service: string): Transport {
  const own = contextFor(serviceCaller(service));
  return {
    unary: (method, signal, timeoutMs, header, input, context) =>
      transport.unary(
        method,
        signal,
        timeoutMs,
        header,
        input,
        context?.get(callerKey) ? context : own,
      ),
    stream: noStream,
  };
}

/** The traceparent header of a call. */
function traceHeader(): Record<string, string> {
  const traceparent = currentTraceparent();
  return traceparent === '' ? {} : { [traceparentHeader]: traceparent };
}

/** The caller's own headers: the client's Idempotency-Key. */
const headersOf = (header: ConstructorParameters<typeof Headers>[0]): Record<string, string> =>
  header === undefined ? {} : Object.fromEntries(new Headers(header));

function requireCaller(context: ContextValues | undefined): Caller {
  const caller = context?.get(callerKey);
  if (!caller) throw new Error('a call between services was made without a caller');
  return caller;
}

function rpcError(error: unknown, service: string, tokens: OwnTokens | undefined): ConnectError {
  if (!(error instanceof ConnectError)) return noAnswer(error);
  const refusal = callerRefusalIn(error);
  if (refusal) {
    tokens?.refused(service, refusal);
    // The token is this process's own: its client learns that the service is unavailable.
    return noAnswer(error, Code.Unavailable);
  }
  if (toServiceError(error).code !== 'unavailable') tokens?.accepted(service);
  return error;
}

/** With the code of the deadline, the cancellation or the HTTP status, if one of them is the cause. */
const noAnswer = (cause: unknown, code = codeOf(cause)) =>
  new ConnectError('the service does not answer', code, undefined, undefined, cause);

const codeOf = (error: unknown): Code =>
  error instanceof NoResponseError && error.cause instanceof ConnectError
    ? error.cause.code
    : Code.Unavailable;

function messageIn<O extends DescMessage>(
  { output }: DescMethodUnary<DescMessage, O>,
  { body }: WireAnswer,
): MessageShape<O> {
  try {
    return fromBinary(output, body);
  } catch (error) {
    throw new ConnectError(
      'the response is not a message of this method',
      Code.Internal,
      undefined,
      undefined,
      error,
    );
  }
}

/** Shared by all responses: making them cost more than most of a call's other steps. */
const noHeaders = new Headers();

const headerOf = (exchange: Exchange): Headers =>
  exchange.replayed || exchange.newPosition !== undefined
    ? new Headers(answerHeaders(exchange))
    : noHeaders;

/** The metadata are read on demand, since few callers need them. */
const response = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  message: MessageShape<O>,
  metadata: () => Metadata,
): UnaryResponse<I, O> => ({
  stream: false,
  service: method.parent,
  method,
  message,
  get header() {
    return metadata().header;
  },
  get trailer() {
    return metadata().trailer;
  },
});

function noStream<I extends DescMessage, O extends DescMessage>(
  _method: DescMethodStreaming<I, O>,
): Promise<StreamResponse<I, O>> {
  return Promise.reject(new ConnectError('no operation streams', Code.Unimplemented));
}
