import type { Socket } from 'node:net';
import { AnswerTooLarge } from './failure.ts';

/**
 * What one answer may take besides its body: 16 KiB of headers, and 32 KiB for everything else that a receiver may send and the
 * HTTP parser consumes without counting it, such as reason phrases, chunk extensions, blank lines and TLS records.
 */
const overheadBytes = 48 * 1024;

/** What a TLS handshake may take: several times the longest chain of certificates. */
const handshakeBytes = 128 * 1024;

/** TLS records without data, such as session tickets, raise no event on the socket. */
const watchMs = 100;

/**
 * Destroys a connection on which more bytes arrive than a TLS handshake may have: OpenSSL skips any number of empty messages.
 * Returns a function that ends the watch.
 */
export function limitHandshake(wire: Socket): () => void {
  const start = wire.bytesRead;
  const watch = setInterval(() => {
    if (wire.bytesRead - start > handshakeBytes) wire.destroy(new AnswerTooLarge());
  }, watchMs);
  const stop = () => clearInterval(watch);
  wire.once('close', stop);
  return stop;
}

/**
 * Destroys a connection on which more bytes arrive than one answer may have. All bytes count: from
 * the moment when the request is written until the next one is, and between the TLS handshake and the
 * first request. `wire` is the TCP socket below TLS, or the socket itself.
 */
export function limitAnswers(socket: Socket, wire: Socket, bodyBytes: number): void {
  let start = 0;
  let seen = 0;
  let written = 0;
  const check = () => {
    // HTTP/1.1 without pipelining: a request is written at once, and nothing else is ever written.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      start = seen;
    }
    // The newest read is not counted yet: the parser sees it first, and a large answer is refused by its status and not by its size.
    if (seen - start > bodyBytes + overheadBytes) socket.destroy(new AnswerTooLarge());
    seen = wire.bytesRead;
  };
  // `on` would make the stream flow before the parser reads it.
  socket.prependListener('readable', check);
  if (socket === wire) return;
  const watch = setInterval(check, watchMs);
  watch.unref();
  socket.once('close', () => clearInterval(watch));
}
