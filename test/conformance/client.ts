import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { contextFor, createHttpTransport, type WireTransport } from '@bailiwick/wire';
import { createGrpcTransport } from '@bailiwick/wire/grpc';
import { create, fromBinary } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import {
  type ClientRequest,
  fromHeaders,
  grpc,
  readMessages,
  type Suite,
  toHeaders,
  writeMessage,
} from './protos.ts';

// The client under test of Connect's conformance suite: the transports of our processes.

/** All at once, on a busy machine, would take longer than some of their deadlines. */
const maxCalls = 8;

/** Makes the calls that the runner asks for, until it closes its side of the connection. */
export async function callSuite(suite: Suite, runner: Socket): Promise<void> {
  const transports = createTransports(suite);
  const report = async (request: ClientRequest): Promise<void> => {
    const result = await resultOf(suite, transports.to(request), request);
    const fields = { testName: request.testName, result };
    writeMessage(runner, suite.message('ClientCompatResponse'), fields);
  };
  const calls = new Set<Promise<void>>();
  const requests = readMessages<ClientRequest>(runner, suite.message('ClientCompatRequest'));
  for await (const request of requests) {
    if (calls.size === maxCalls) await Promise.race(calls);
    const call = report(request).finally(() => calls.delete(call));
    calls.add(call);
  }
  await Promise.all(calls);
  runner.end();
  await transports.close();
}

/** One transport for each of the suite's servers, with an open connection. */
function createTransports(suite: Suite) {
  const transports = new Map<string, Promise<WireTransport>>();
  return {
    to({ protocol, host, port }: ClientRequest): Promise<WireTransport> {
      const key = `${protocol} ${host} ${port}`;
      const transport =
        transports.get(key) ??
        connect(
          suite,
          protocol === grpc
            ? createGrpcTransport({ ...options, url: `dns:///${host}:${port}` })
            : createHttpTransport({ ...options, url: `http://${host}:${port}` }),
        );
      transports.set(key, transport);
      return transport;
    },
    async close() {
      for (const transport of transports.values()) await (await transport).close();
    },
  };
}

/** For a call that would never end. The runner waits for 20 s. */
const limitMs = 10_000;
const options = { audience: 'conformance', sign: () => 'token' };
const caller = contextFor({ type: 'service', id: 'conformance' } as never);

/**
 * Opens the connection with a call that the suite refuses. Otherwise the time for it would count in
 * the first calls' deadlines, which the suite measures.
 */
async function connect(suite: Suite, transport: WireTransport): Promise<WireTransport> {
  const [method] = suite.methods;
  if (method)
    await transport
      .unary(method, AbortSignal.timeout(limitMs), undefined, undefined, {}, caller)
      .catch(() => undefined);
  return transport;
}

async function resultOf(suite: Suite, opened: Promise<WireTransport>, request: ClientRequest) {
  try {
    const result = await call(suite, await opened, request);
    return {
      case: 'response',
      value: create(suite.message('ClientResponseResult'), result as never),
    };
  } catch (error) {
    const failure = { message: String(error) } as never;
    return { case: 'error', value: create(suite.message('ClientErrorResult'), failure) };
  }
}

async function call(suite: Suite, transport: WireTransport, request: ClientRequest) {
  const name = request.method ?? 'Unary';
  const method = suite.methods.find((one) => one.name === name);
  const [message] = request.requestMessages;
  if (!method || !message) throw new Error(`no unary call: ${name}`);
  await sleep(request.requestDelayMs);
  const cancelMs = request.cancel ? (request.cancel.cancelTiming.value ?? 0) : limitMs;
  try {
    const response = await transport.unary(
      method,
      AbortSignal.timeout(cancelMs),
      // Otherwise the transport sets a limit of its own.
      request.timeoutMs ?? Number.POSITIVE_INFINITY,
      toHeaders(request.requestHeaders),
      fromBinary(method.input, message.value),
      caller,
    );
    const { payload } = response.message as { payload?: object };
    return {
      responseHeaders: fromHeaders(response.header),
      responseTrailers: fromHeaders(response.trailer),
      payloads: [payload ?? {}],
    };
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    // The metadata of an error are headers and trailers at once.
    const metadata = fromHeaders(error.metadata);
    return { error: errorOf(error), responseHeaders: metadata, responseTrailers: metadata };
  }
}

const errorOf = ({ code, rawMessage, details }: ConnectError) => ({
  code,
  message: rawMessage,
  details: details.flatMap((detail) =>
    'type' in detail
      ? [{ typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value }]
      : [],
  ),
});
