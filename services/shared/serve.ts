import { Buffer } from 'node:buffer';
import { type DescMethodUnary, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerHeader, type CallerVerifier } from './caller.ts';
import type { Dispatch, Routes } from './dispatch.ts';
import { invalid, toConnectError, toServiceError } from './errors.ts';

// A service's listener: a lean branch for unary Connect calls of `application/proto`, which is what the
// other processes send, and connect-node's own adapter on the same port for every other Connect client.

const maxBodyBytes = 4 * 1024 * 1024;

export type Listener = { port: number; drain(): Promise<void> };

export type RpcServerOptions = { host: string; port: number; routes: Routes; dispatch: Dispatch; verify: CallerVerifier };

export async function listenRpc({ host, port, routes, dispatch, verify }: RpcServerOptions): Promise<Listener> {
  const byPath = new Map([...routes.keys()].map((method) => [`/${method.parent.typeName}/${method.name}`, method]));
  let stock: Promise<Handler> | undefined;
  return listenHttp(host, port, (request, response) => {
    const method = byPath.get(request.url ?? '');
    if (method && request.method === 'POST' && request.headers['content-type'] === 'application/proto') {
      return answer(method, request, response, dispatch, verify);
    }
    // connect-node is loaded by the first client that needs it: most processes never meet one.
    stock ??= stockHandler(routes, dispatch, verify);
    return stock.then((handler) => handler(request, response));
  });
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export type HttpOptions = {
  /** A request that has not arrived whole by then is answered with `rawError` and its connection closed. */
  requestTimeoutMs?: number;
  /** Makes the whole response for what fails before there is a request, from Node's error code. */
  rawError?: (code: string | undefined) => string;
};

/** Listens until `drain`: new connections are refused, kept-alive ones closed, calls in flight finished (25 s at most). */
export async function listenHttp(host: string, port: number, handle: Handler, options: HttpOptions = {}): Promise<Listener> {
  const { requestTimeoutMs = 30_000, rawError = emptyRawError } = options;
  let draining = false;
  const timeouts = { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs, connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 5000) };
  const server: Server = createServer({ keepAliveTimeout: 65_000, ...timeouts }, (request, response) => {
    if (draining) response.setHeader('connection', 'close');
    Promise.resolve(handle(request, response)).catch(() => response.destroy());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET') socket.end(rawError(error.code));
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async drain() {
      draining = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), 25_000);
      // A connection that is kept alive becomes idle when its call ends.
      const sweep = setInterval(() => server.closeIdleConnections(), 100);
      await closed;
      clearTimeout(force);
      clearInterval(sweep);
    },
  };
}

const emptyRawError = (_code: string | undefined) => 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';

/** Reads a body, refusing it before more than `limit` bytes are held. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

async function answer(method: DescMethodUnary, request: IncomingMessage, response: ServerResponse, dispatch: Dispatch, verify: CallerVerifier) {
  try {
    const caller = verify(headerText(request, callerHeader));
    const body = await readBody(request, maxBodyBytes);
    if (!body) throw invalid('the message is too large');
    const message = await dispatch(method, parse(method, body), caller, callSignal(request, response));
    const bytes = toBinary(method.output, message);
    response.writeHead(200, { 'content-type': 'application/proto', 'content-length': bytes.length }).end(bytes);
  } catch (error) {
    const connectError = toConnectError(toServiceError(error));
    const bytes = errorToJsonBytes(connectError, undefined);
    response.writeHead(codeToHttpStatus(connectError.code), { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
  }
}

function parse(method: DescMethodUnary, body: Uint8Array) {
  try {
    return fromBinary(method.input, body);
  } catch {
    throw invalid('the body is not a message of this method');
  }
}

// Aborts when the caller's deadline has passed or its connection is gone.
function callSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const timeout = Number(headerText(request, 'connect-timeout-ms'));
  return timeout > 0 ? AbortSignal.any([gone.signal, AbortSignal.timeout(timeout)]) : gone.signal;
}

function headerText(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

async function stockHandler(routes: Routes, dispatch: Dispatch, verify: CallerVerifier): Promise<Handler> {
  const { connectNodeAdapter } = await import('@connectrpc/connect-node');
  const services = new Set([...routes.keys()].map((method) => method.parent));
  return connectNodeAdapter({
    readMaxBytes: maxBodyBytes,
    routes(router: ConnectRouter) {
      for (const service of services) {
        const implementation = service.methods.map((method) => [
          method.localName,
          async (request: never, context: { requestHeader: Headers; signal: AbortSignal }) => {
            try {
              return await dispatch(method as DescMethodUnary, request, verify(context.requestHeader.get(callerHeader) ?? undefined), context.signal);
            } catch (error) {
              throw toConnectError(toServiceError(error));
            }
          },
        ]);
        router.service(service, Object.fromEntries(implementation) as ServiceImpl<typeof service>);
      }
    },
  });
}
