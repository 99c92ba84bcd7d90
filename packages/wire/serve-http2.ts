import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, Server } from 'node:net';
import { followTls, type Listener, serverOptions, type Tls } from '@bailiwick/process';

// The HTTP/2 listener, for gRPC. A connection ends with GOAWAY, which names the last stream that
// will be processed: clients may retry all later ones.

/**
 * Lifetime of a connection. A client then resolves the name again, so that new replicas get their
 * share of the calls within seconds.
 */
const connectionAgeMs = 10_000;
/**
 * Time between the two GOAWAYs: enough for streams that are on their way to arrive, also at an
 * overloaded process.
 */
const noticeMs = 1000;
const drainLimitMs = 25_000;
/**
 * For the concurrent calls of one gateway. Node's default of 10 MB would refuse streams if some of
 * them are large.
 */
const sessionMemoryMb = 256;
/** GOAWAY for "no new streams, but all that are on their way" (RFC 9113, section 6.8). */
const anyStream = 2 ** 31 - 1;

export type Http2Handler = (
  request: Http2ServerRequest,
  response: Http2ServerResponse,
) => void | Promise<void>;

/** `ageMs` is the lifetime of a connection. */
type Http2Options = { ageMs?: number | undefined; tls?: Tls | undefined };

export async function listenHttp2(
  host: string,
  port: number,
  handle: Http2Handler,
  { ageMs = connectionAgeMs, tls }: Http2Options,
): Promise<Listener> {
  const sessions = new Set<ServerHttp2Session>();
  const server = makeServer(tls, (request, response) => {
    const { stream } = response;
    stream.once('finish', () => discardRest(stream));
    Promise.resolve(handle(request, response)).catch(() => stream.destroy());
  });
  server.on('session', (session) => {
    sessions.add(session);
    // Spread by a tenth of the lifetime, so that connections do not end at the same moment.
    const rotation = setTimeout(
      () => void closeGracefully(session),
      ageMs * (0.9 + Math.random() / 5),
    );
    session.once('close', () => {
      clearTimeout(rotation);
      sessions.delete(session);
    });
  });
  // A client broke the protocol or its connection: its session ends without a log line.
  server.on('sessionError', () => {});
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, host, resolve),
  );
  return {
    port: (server.address() as AddressInfo).port,
    // Nothing to do: a client would only reconnect, and HTTP/2 connections can end without losing
    // calls.
    disableKeepAlive: () => {},
    async drain() {
      // Not Http2Server's own close, which ends sessions without notice.
      const closed = new Promise<void>((resolve) =>
        Server.prototype.close.call(server, () => resolve()),
      );
      const force = setTimeout(
        () => sessions.forEach((session) => session.destroy()),
        drainLimitMs,
      );
      await Promise.all([...sessions].map(closeGracefully));
      await closed;
      clearTimeout(force);
    },
  };
}

function makeServer(
  tls: Tls | undefined,
  handle: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
) {
  const options = { maxSessionMemory: sessionMemoryMb };
  if (!tls) return createServer(options, handle);
  const server = createSecureServer({ ...options, ...serverOptions(tls) }, handle);
  followTls(server, tls);
  return server;
}

/**
 * Reads the rest of a request after an early response, such as "too large": unread, it would keep
 * its stream open for ever.
 */
function discardRest(stream: ServerHttp2Stream): void {
  if (stream.readableEnded || stream.destroyed) return;
  // Otherwise the paused request stops the stream.
  stream.removeAllListeners('data');
  stream.resume();
}

/** Ends a connection in two steps, so that no stream is refused and running streams finish. */
async function closeGracefully(session: ServerHttp2Session): Promise<void> {
  if (session.closed || session.destroyed) return;
  session.goaway(0, anyStream);
  await new Promise((resolve) => setTimeout(resolve, noticeMs));
  if (!session.destroyed) session.close();
}
