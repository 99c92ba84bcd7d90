import type { Socket } from 'node:net';
import { AnswerTooLarge } from './failure.ts';

/**
 * Bytes of one response beyond its body: 16 KiB of headers, and 32 KiB for data that the HTTP
 * parser consumes without counting, such as reason phrases, chunk extensions, blank lines and TLS
 * records.
 */
const overheadBytes = 48 * 1024;

/** Bytes of a TLS handshake: several times the longest certificate chain. */
const handshakeBytes = 128 * 1024;

/**
 * Polled, since TLS records without data, such as session tickets, raise no event on the socket.
 */
const watchMs = 100;

/**
 * Destroys a connection that receives more bytes than a TLS handshake may take: OpenSSL skips any
 * number of empty messages. Returns a function that ends the watch.
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
 * Destroys a connection that receives more bytes than one response may have. All bytes count: from
 * one request to the next, and from the TLS handshake to the first request. `wire` is the TCP
 * socket below TLS, or the socket itself.
 */
export function limitAnswers(socket: Socket, wire: Socket, bodyBytes: number): void {
  let start = 0;
  let readBytes = 0;
  let written = 0;
  const check = () => {
    // HTTP/1.1 without pipelining: each write is a new request.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      start = readBytes;
    }
    // The newest read is not counted yet. The parser sees it first, so that a large response is
    // rejected by its status rather than its size.
    if (readBytes - start > bodyBytes + overheadBytes) socket.destroy(new AnswerTooLarge());
    readBytes = wire.bytesRead;
  };
  // `on` would start the stream's flow before the parser reads it.
  socket.prependListener('readable', check);
  if (socket === wire) return;
  const watch = setInterval(check, watchMs);
  watch.unref();
  socket.once('close', () => clearInterval(watch));
}
