import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, Server } from 'node:net';
import type { Listener } from './serve.ts';
import { followTls, serverOptions, type Tls } from './tls.ts';

// HTTP/2, for gRPC. Its way to end a connection is GOAWAY with the last stream that will be processed: whatever
// came after it may be sent again.

/** A connection is replaced after about this long. Clients then look their name up again: replicas that were added get their share of the calls within seconds. */
const connectionAgeMs = 10_000;
/** Between "open no more streams" and the last stream's number: longer than a stream that is on its way needs, also to a process that has too much to do. */
const noticeMs = 1000;
const drainLimitMs = 25_000;
/** For what all callers of one gateway have in hand at once. Node's own 10 MB would refuse streams when some of them are large. */
const sessionMemoryMb = 256;
/** "All streams so far and those on their way" (RFC 9113, section 6.8). */
const anyStream = 2 ** 31 - 1;

export type Http2Handler = (
  request: Http2ServerRequest,
  response: Http2ServerResponse,
) => void | Promise<void>;

/** `ageMs` is how long a connection lives. */
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
    // Not all at the same moment: a tenth of the time earlier or later.
    const rotation = setTimeout(() => void retire(session), ageMs * (0.9 + Math.random() / 5));
    session.once('close', () => {
      clearTimeout(rotation);
      sessions.delete(session);
    });
  });
  // A client that breaks the protocol or its connection: its session ends, and nobody needs to know.
  server.on('sessionError', () => {});
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, host, resolve),
  );
  return {
    port: (server.address() as AddressInfo).port,
    // A client would only connect again: HTTP/2 can end connections without losing calls at the end.
    retire: () => {},
    async drain() {
      // Not Http2Server's own close: it ends the sessions without notice.
      const closed = new Promise<void>((resolve) =>
        Server.prototype.close.call(server, () => resolve()),
      );
      const force = setTimeout(
        () => sessions.forEach((session) => session.destroy()),
        drainLimitMs,
      );
      await Promise.all([...sessions].map(retire));
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

/** After an answer that did not wait for the whole request, such as "too large": unread, it would keep its stream open for ever. */
function discardRest(stream: ServerHttp2Stream): void {
  if (stream.readableEnded || stream.destroyed) return;
  // The request stops the stream when nobody reads it.
  stream.removeAllListeners('data');
  stream.resume();
}

/** Ends a connection in two steps, so that no stream is refused; its streams finish. */
async function retire(session: ServerHttp2Session): Promise<void> {
  if (session.closed || session.destroyed) return;
  session.goaway(0, anyStream);
  await new Promise((resolve) => setTimeout(resolve, noticeMs));
  if (!session.destroyed) session.close();
}
