import { create, type DescMessage, type DescMethodStreaming, type DescMethodUnary, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
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
import { type Caller, callerHeader, type CallerSigner, serviceCaller } from './caller.ts';
import type { Dispatch } from './dispatch.ts';
import { toConnectError, toServiceError, unavailable } from './errors.ts';

// The hop between the processes. A unary Connect call is an HTTP POST of `application/proto`, so the
// default is just that, over a pool of kept-alive HTTP/1.1 connections: 54–58 µs of CPU a call where
// connect-node's own client takes 219–268 µs (architecture.md §3). Any Connect client can stand in.

/** Who a call is made for. Set on the context of every call that leaves a process. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'caller' });

export const contextFor = (caller: Caller): ContextValues => createContextValues().set(callerKey, caller);

const defaultTimeoutMs = 15_000;

/** A transport to one service over HTTP. `sign` makes the caller token for that service. */
export function createHttpTransport({ url, audience, sign }: { url: string; audience: string; sign: CallerSigner }): Transport & { close(): Promise<void> } {
  const pool = new Pool(url, {
    connections: 128,
    // Shorter than the server's own, so that a connection is never used while the server closes it.
    keepAliveTimeout: 20_000,
    keepAliveMaxTimeout: 20_000,
    // Connections are made anew after a minute: replicas that were added get their share of the calls.
    clientTtl: 60_000,
    connect: { timeout: 2000 },
  });

  async function post(method: DescMethodUnary, body: Uint8Array, caller: Caller, signal: AbortSignal | undefined, timeoutMs: number) {
    const response = await pool.request({
      method: 'POST',
      path: `/${method.parent.typeName}/${method.name}`,
      headers: {
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
        'connect-timeout-ms': String(timeoutMs),
        [callerHeader]: sign(caller, audience),
      },
      body,
      bodyTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) : AbortSignal.timeout(timeoutMs),
    });
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    if (response.statusCode !== 200) throw errorFromJsonBytes(bytes, undefined, new ConnectError(`HTTP ${response.statusCode}`, Code.Unavailable));
    return bytes;
  }

  return {
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      _header: unknown,
      input: MessageInitShape<I>,
      context?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      const body = toBinary(method.input, create(method.input, input));
      const caller = requireCaller(context);
      const attempt = () => post(method, body, caller, signal, timeoutMs ?? defaultTimeoutMs);
      const bytes = await attempt().catch((error: unknown) => {
        // Only what changes nothing is sent twice, and only where no answer came.
        if (method.idempotency === undefined || method.idempotency === 0 || error instanceof ConnectError || signal?.aborted) throw rpcError(error);
        return attempt().catch((again: unknown) => Promise.reject(rpcError(again)));
      });
      return response(method, fromBinary(method.output, bytes));
    },
    stream: noStream,
    close: () => pool.close(),
  };
}

/** A transport to services in the same process: the same pipeline, no wire. They are named once they exist. */
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
      _header: unknown,
      input: MessageInitShape<I>,
      context?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      if (!dispatch) throw toConnectError(unavailable());
      try {
        const request = create(method.input, input);
        const deadline = AbortSignal.timeout(timeoutMs ?? defaultTimeoutMs);
        const message = await dispatch(method, request, requireCaller(context), signal ? AbortSignal.any([signal, deadline]) : deadline);
        return response(method, message as UnaryResponse<I, O>['message']);
      } catch (error) {
        throw toConnectError(toServiceError(error));
      }
    },
    stream: noStream,
  };
}

/** The same transport for calls in a service's own name. */
export function asService(transport: Transport, service: string): Transport {
  const own = contextFor(serviceCaller(service));
  return {
    unary: (method, signal, timeoutMs, header, input, context) =>
      transport.unary(method, signal, timeoutMs, header, input, context?.get(callerKey) ? context : own),
    stream: noStream,
  };
}

function requireCaller(context: ContextValues | undefined): Caller {
  const caller = context?.get(callerKey);
  if (!caller) throw new Error('a call between services was made without a caller');
  return caller;
}

const rpcError = (error: unknown) =>
  error instanceof ConnectError ? error : new ConnectError('the service does not answer', Code.Unavailable, undefined, undefined, error);

function response<I extends DescMessage, O extends DescMessage>(method: DescMethodUnary<I, O>, message: UnaryResponse<I, O>['message']): UnaryResponse<I, O> {
  return { stream: false, service: method.parent, method, header: new Headers(), trailer: new Headers(), message };
}

function noStream<I extends DescMessage, O extends DescMessage>(_method: DescMethodStreaming<I, O>): Promise<StreamResponse<I, O>> {
  return Promise.reject(new ConnectError('no operation streams', Code.Unimplemented));
}
