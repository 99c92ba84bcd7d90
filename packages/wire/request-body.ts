import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid } from '@bailiwick/errors';
import { createCollector } from '@bailiwick/process';

/**
 * How much of an unread body is still received, so that most clients have sent theirs before the
 * connection closes.
 */
const maxUnreadBytes = 64 * 1024;

/** A collection takes 20 to 40 ms: about a tenth of a core for large bodies at 12 MB/s. */
const countReceived = createCollector(4 * 1024 * 1024);

/** How long a client has to read the response before its connection is closed. */
const lingerMs = 1000;

/**
 * Reads a body; undefined if it is longer than `limit`. Never holds more than `limit` bytes.
 * `check` sees each piece on arrival, and aborts the reading if it throws.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  check: (piece: Buffer) => void = () => undefined,
): Promise<Buffer | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  const body = announced > limit ? undefined : await readUpTo(request, limit, check);
  if (!body) stopReading(request, response);
  return body;
}

// Listens to the request's events: an async iterator costs several times as much for a short body.
function readUpTo(
  request: IncomingMessage,
  limit: number,
  check: (piece: Buffer) => void,
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const settle = (result: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      // Without a listener the rest would be received and dropped, however much it is.
      if (!request.readableEnded) request.pause();
      result();
    };
    const onData = (piece: Buffer): void => {
      size += piece.length;
      if (size > limit) return settle(() => resolve(undefined));
      try {
        check(piece);
      } catch (error) {
        return settle(() => reject(error));
      }
      countReceived(piece);
      pieces.push(piece);
    };
    const onEnd = (): void =>
      settle(() => resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
    // The client is gone and cannot read the response, so this is not logged as a failure.
    const onBroken = (): void => settle(() => reject(invalid('the request broke off')));
    if (request.destroyed) return onBroken();
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/**
 * Closes the connection after the response if a large part of the body is still to come. Node would
 * otherwise receive all of it, and each chunk costs memory until the next garbage collection.
 * Closing while the client still sends would discard the response, so the connection is half-closed
 * first (RFC 9112 §9.6).
 */
export function stopReading(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const isLarge = encoding !== undefined || Number(length ?? 0) > maxUnreadBytes;
  if (!isLarge) return void request.resume();
  const { socket } = request;
  response.setHeader('connection', 'close');
  // Node calls this after writing the response.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
  let budget = maxUnreadBytes;
  request.on('data', (chunk: Buffer) => {
    budget -= chunk.length;
    countReceived(chunk);
    if (budget <= 0) request.pause();
  });
  // It may have been paused by the reader of the body.
  request.resume();
}
