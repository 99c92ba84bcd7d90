import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { type Dispatch, listenRpc } from '@bailiwick/wire';
import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  type Definition,
  fromHeaders,
  http2,
  readMessages,
  type ServerRequest,
  type Suite,
  toHeaders,
  type UnaryRequest,
  writeMessage,
} from './protos.ts';

// The server under test of Connect's conformance suite: the listeners of our processes, with a
// pipeline that answers as the suite's requests say.

/** Serves as the runner asks, until it ends its program. */
export async function serveSuite(suite: Suite, runner: Socket): Promise<void> {
  const listeners: Listener[] = [];
  const requests = readMessages<ServerRequest>(runner, suite.message('ServerCompatRequest'));
  for await (const request of requests) listeners.push(await listen(suite, runner, request));
  await Promise.all(listeners.map((listener) => listener.drain()));
}

type Listener = Awaited<ReturnType<typeof listenRpc>>;

async function listen(
  suite: Suite,
  runner: Socket,
  { httpVersion }: ServerRequest,
): Promise<Listener> {
  const route = { handler: async () => ({}), check: undefined, replayCheck: undefined };
  const requestInfo = suite.message('ConformancePayload.RequestInfo');
  const listener = await listenRpc({
    host: loopback,
    port: 0,
    grpcPort: 0,
    routes: new Map(suite.methods.map((method) => [method, route])),
    dispatch: (method, request, _caller, _signal, exchange) =>
      answer(method, request, exchange, requestInfo),
    // The suite's clients have no caller token.
    verify: () => ({}) as never,
    readiness: () => Promise.resolve(undefined),
  });
  writeMessage(runner, suite.message('ServerCompatResponse'), {
    host: loopback,
    port: httpVersion === http2 ? listener.grpcPort : listener.port,
  });
  return listener;
}

async function answer(
  method: Parameters<Dispatch>[0],
  request: UnaryRequest,
  exchange: Parameters<Dispatch>[4],
  requestInfo: DescMessage,
): Promise<Message> {
  if (method.name === 'Unimplemented') throw new ConnectError('not served', Code.Unimplemented);
  const headers = exchange?.requestHeaders?.() ?? new Headers();
  const requestDetails = {
    requestHeaders: fromHeaders(headers),
    timeoutMs: timeoutIn(headers),
    requests: [anyPack(method.input, request)],
  };
  const { responseDefinition: definition } = request;
  if (exchange && definition) {
    exchange.responseHeaders = toHeaders(definition.responseHeaders);
    exchange.responseTrailers = toHeaders(definition.responseTrailers);
    await sleep(definition.responseDelayMs);
  }
  if (definition?.response.case === 'error')
    throw errorOf(definition.response.value, requestInfo, requestDetails);
  const payload =
    definition?.response.case === 'responseData' ? definition.response.value : new Uint8Array();
  return create(method.output, { payload: { data: payload, requestInfo: requestDetails } });
}

type ErrorDefinition = Extract<Definition['response'], { case: 'error' }>['value'];

function errorOf(
  { code, message, details }: ErrorDefinition,
  requestInfo: DescMessage,
  requestDetails: object,
): ConnectError {
  const error = new ConnectError(message ?? '', code);
  for (const { typeUrl, value } of details)
    error.details.push({ type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value });
  error.details.push({ desc: requestInfo, value: create(requestInfo, requestDetails as never) });
  return error;
}

const unitMs: Record<string, number> = { H: 3.6e6, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** The timeout of a call over Connect or gRPC. */
function timeoutIn(headers: Headers): bigint | undefined {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(headers.get('grpc-timeout') ?? '') ?? [];
  if (amount !== undefined) return BigInt(Math.round(Number(amount) * (unitMs[unit ?? ''] ?? 1)));
  const timeout = headers.get('connect-timeout-ms');
  return timeout === null ? undefined : BigInt(timeout);
}
