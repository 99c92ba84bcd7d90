import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { type Caller, idempotencyKeyHeader, positionHeader } from '@bailiwick/contract';
import { invalid, toConnectError, toServiceError } from '@bailiwick/errors';
import {
  continueTrace,
  type HttpHandler,
  type Listener,
  listenHttp,
  type Readiness,
  type Tls,
  traceparentHeader,
} from '@bailiwick/process';
import { type DescMethodUnary, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  codeToHttpStatus,
  contentTypeUnaryProto,
  errorToJsonBytes,
  trailerMux,
} from '@connectrpc/connect/protocol-connect';
import { callerHeader } from './caller-tokens.ts';
import { startDeadline } from './deadline.ts';
import { answerHeaders, type Dispatch, type Exchange, type Rpcs } from './dispatch.ts';
import type { HealthState } from './health.ts';
import { readBody, stopReading } from './request-body.ts';
import { listenHttp2 } from './serve-http2.ts';

// A service's listeners: HTTP/1.1, with a fast path for unary Connect calls of `application/proto`,
// which the other processes send, and HTTP/2 for gRPC. connect-node serves everything else on both:
// Connect, gRPC, gRPC-web, health.

export type StockHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void | Promise<void>;

export const maxBodyBytes = 4 * 1024 * 1024;

export type RpcServerOptions = {
  host: string;
  port: number;
  grpcPort: number;
  routes: Rpcs;
  dispatch: Dispatch;
  /** The caller of a token, which is for the service of the method. */
  verify: (header: string | undefined, method: DescMethodUnary) => Caller;
  readiness: Readiness;
  tls?: Tls | undefined;
  /** Lifetime of an HTTP/2 connection. Set by tests. */
  connectionAgeMs?: number;
};

/** Opens a service's listeners for HTTP/1.1 and gRPC. */
export async function listenRpc({
  host,
  port,
  grpcPort,
  readiness,
  tls,
  connectionAgeMs: ageMs,
  ...served
}: RpcServerOptions): Promise<Listener & { grpcPort: number }> {
  const { routes, dispatch, verify } = served;
  const byPath = new Map(
    [...routes.keys()].map((method) => [`/${method.parent.typeName}/${method.name}`, method]),
  );
  const [stopping, drained] = [new AbortController(), new AbortController()];
  const health: HealthState = { readiness, stopping: stopping.signal, drained: drained.signal };
  let loading: Promise<StockHandler> | undefined;
  // Loaded for the first client that needs it: 39 MB that most processes never use.
  const stock = () =>
    (loading ??= import('./serve-connect.ts').then(({ createStockHandler }) =>
      createStockHandler({ ...served, health }),
    ));

  const lean: HttpHandler = (request, response) => {
    const method = byPath.get(request.url ?? '');
    if (method && isPlain(request)) {
      return answer(method, request, response, dispatch, verify);
    }
    if (request.method === 'HEAD') return answerProbe(response);
    return stock().then((handler) => handler(request, response));
  };
  const http = await listenHttp(host, port, lean, { tls });
  const http2 = await listenHttp2(
    host,
    grpcPort,
    (request, response) => stock().then((handler) => handler(request, response)),
    { tls, ageMs },
  );
  return {
    port: http.port,
    grpcPort: http2.port,
    disableKeepAlive() {
      stopping.abort();
      http.disableKeepAlive();
      http2.disableKeepAlive();
    },
    async drain() {
      stopping.abort();
      drained.abort();
      await Promise.all([http.drain(), http2.drain()]);
    },
  };
}

// Answers the probe of our own client, which checks that a new connection has reached a process
// (probe.ts). Succeeds even while the process is shutting down.
function answerProbe(response: ServerResponse): void {
  response.writeHead(204, { connection: 'keep-alive' }).end();
}

/** Whether a call is what our own client sends. connect-node reads all others. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'POST' &&
  headers['content-type'] === contentTypeUnaryProto &&
  headers['content-encoding'] === undefined;

async function answer(
  method: DescMethodUnary,
  request: IncomingMessage,
  response: ServerResponse,
  dispatch: Dispatch,
  verify: RpcServerOptions['verify'],
) {
  // Ends when the caller's deadline has passed or its connection is gone.
  const deadline = startDeadline(Number(headerText(request, 'connect-timeout-ms')));
  response.once('close', () => {
    if (response.writableFinished) deadline.finish();
    else deadline.end();
  });
  const exchange: Exchange = {
    idempotencyKey: headerText(request, idempotencyKeyHeader),
    positions: headerText(request, positionHeader),
    requestHeaders: () => headersOf(request),
  };
  try {
    const caller = verify(headerText(request, callerHeader), method);
    const body = await readBody(request, response, maxBodyBytes);
    if (!body) throw invalid('the message is too large');
    const traceparent = headerText(request, traceparentHeader);
    const message = await continueTrace(traceparent, () =>
      dispatch(method, parse(method, body), caller, deadline.signal, exchange),
    );
    const bytes = toBinary(method.output, message);
    setMetadata(response, exchange);
    response
      .writeHead(200, {
        ...answerHeaders(exchange),
        'content-type': contentTypeUnaryProto,
        'content-length': bytes.length,
      })
      .end(bytes);
  } catch (error) {
    const connectError = wireError(error, deadline.hasEnded());
    const bytes = errorToJsonBytes(connectError, undefined);
    stopReading(request, response);
    setMetadata(response, exchange);
    response
      .writeHead(codeToHttpStatus(connectError.code), {
        'content-type': 'application/json',
        'content-length': bytes.length,
      })
      .end(bytes);
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}

function setMetadata(
  response: ServerResponse,
  { responseHeaders, responseTrailers }: Exchange,
): void {
  if (!responseHeaders && !responseTrailers) return;
  response.setHeaders(
    trailerMux(responseHeaders ?? new Headers(), responseTrailers ?? new Headers()),
  );
}

function parse(method: DescMethodUnary, body: Uint8Array) {
  try {
    return fromBinary(method.input, body);
  } catch {
    throw invalid('the body is not a message of this method');
  }
}

/**
 * The error that a call ends with. A handler that its signal interrupts often throws an error of its
 * own, which may reach the client before the client's timer fires. The client gets the code of its
 * deadline in both orders. The pipeline throws no ConnectError: one is the final error.
 */
export function wireError(thrown: unknown, hasEnded: boolean): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const error = toServiceError(thrown);
  return error.code === 'internal' && hasEnded
    ? new ConnectError('the deadline has passed', Code.DeadlineExceeded)
    : toConnectError(error);
}

function headerText(request: IncomingMessage, name: string): string | undefined {
  const header = request.headers[name];
  return typeof header === 'string' ? header : undefined;
}
