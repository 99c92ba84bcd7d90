import type { Buffer } from 'node:buffer';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { createConnections } from './connections.ts';
import { followTls, serverOptions, type Tls } from './tls.ts';

// An HTTP/1.1 listener that drains gracefully: of the API, of the calls between processes and of the
// probes.

export type Listener = {
  port: number;
  /**
   * Called before drain: from now on every response closes its connection, so that clients move to
   * other replicas.
   */
  disableKeepAlive(): void;
  /** Refuses new connections, closes idle ones, and finishes calls in flight (25 s at most). */
  drain(): Promise<void>;
};

export type HttpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
) => void | Promise<void>;

export type HttpOptions = {
  /** A request that has not arrived by then gets `rawError`, and its connection is closed. */
  requestTimeoutMs?: number;
  /**
   * A connection without traffic for this long is closed, even if its response is unread. Set by
   * tests.
   */
  stalledMs?: number;
  /** Builds the raw response to a failure before there is a request, from Node's error code. */
  rawError?: (code: string | undefined) => string;
  /** How long an idle connection stays open: longer than its peer keeps it, or calls are lost. */
  keepAliveMs?: number;
  /** For calls between processes; without it the listener is plain HTTP. */
  tls?: Tls | undefined;
  upgrade?: Upgrade;
};

/** Requests to change the protocol of their connection, which is the handler's own from then on. */
export type Upgrade = {
  /** All others are answered as if they did not ask: some clients offer HTTP/2 with each request. */
  accepts: (request: IncomingMessage) => boolean;
  handle: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

const drainLimitMs = 25_000;
/** Longer than any call takes. */
const stalledLimitMs = 60_000;
/** Interval for closing connections that became idle during the drain. */
const sweepMs = 50;

/** Opens an HTTP/1.1 listener that drains gracefully. Port 0 = any free port. */
export async function listenHttp(
  host: string,
  port: number,
  handle: HttpHandler,
  options: HttpOptions = {},
): Promise<Listener> {
  const {
    requestTimeoutMs = 30_000,
    keepAliveMs = 65_000,
    stalledMs = stalledLimitMs,
    rawError = emptyRawError,
    tls,
    upgrade,
  } = options;
  const connections = createConnections();
  const timeouts = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 2,
  };
  // Responses do not depend on the Host header, so it is optional.
  const server = makeServer(
    {
      keepAliveTimeout: keepAliveMs,
      requireHostHeader: false,
      ...timeouts,
      shouldUpgradeCallback: (request) => upgrade?.accepts(request) === true,
    },
    tls,
    (request, response) => {
      if (connections.begin(request, response))
        Promise.resolve(handle(request, response)).catch(() => response.destroy());
    },
  );
  server.timeout = stalledMs;
  const upgraded = followUpgrades(server, upgrade, rawError);
  refuseOthers(server, rawError, tls);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, host, resolve),
  );
  return {
    port: (server.address() as AddressInfo).port,
    disableKeepAlive: () => connections.disableKeepAlive(),
    async drain() {
      connections.disableKeepAlive();
      // Not http.Server's own close: it closes idle connections at once, and a call may be on its
      // way.
      const closed = new Promise<void>((resolve) =>
        TcpServer.prototype.close.call(server, () => resolve()),
      );
      connections.closeIdle();
      const sweep = setInterval(() => connections.closeIdle(), sweepMs);
      const force = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }, drainLimitMs);
      await closed;
      clearTimeout(force);
      clearInterval(sweep);
    },
  };
}

/**
 * Hands connections to the handler of upgrades. Returns those that are open: Node forgets them, with
 * their time limit and their handler of errors.
 */
function followUpgrades(
  server: Server,
  upgrade: Upgrade | undefined,
  rawError: (code: string) => string,
): ReadonlySet<Duplex> {
  const open = new Set<Duplex>();
  function follow(socket: Duplex): void {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  }
  server.on('connect', (_request, socket) => {
    follow(socket);
    endWith(socket, rawError('CONNECT'));
  });
  if (upgrade)
    server.on('upgrade', (request, socket, head) => {
      follow(socket);
      // A runtime may not ask `accepts` before.
      if (upgrade.accepts(request)) upgrade.handle(request, socket, head);
      else endWith(socket, rawError('UPGRADE'));
    });
  return open;
}

/** Sends the last bytes of a connection. A client that keeps its side open does not hold it. */
export function endWith(socket: Duplex, text: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(text);
}

/** Requests that Node rejects before they reach the handler. */
function refuseOthers(
  server: Server,
  rawError: (code: string | undefined) => string,
  tls: Tls | undefined,
): void {
  server.on('checkExpectation', (_request, response) =>
    response.socket?.end(rawError('EXPECTATION')),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A client without a valid certificate gets no HTTP response.
    const isConnected = !tls || ('authorized' in socket && socket.authorized === true);
    if (isConnected && socket.writable && error.code !== 'ECONNRESET')
      socket.end(rawError(error.code));
    else socket.destroy();
  });
}

function makeServer(options: ServerOptions, tls: Tls | undefined, handle: RequestListener) {
  if (!tls) return createServer(options, handle);
  const server = createSecureServer({ ...options, ...serverOptions(tls) }, handle);
  followTls(server, tls);
  return server;
}

const emptyRawError = (_code: string | undefined) =>
  'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';
