import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid } from './errors.ts';
import { createCollector } from './heap.ts';

/** How much of a body that no handler reads is still received, so that most clients have sent theirs when the connection ends. */
const maxUnreadBytes = 64 * 1024;

/** A collection takes 20 to 40 ms: about a tenth of a core at 12 MB/s of large bodies. */
const countReceived = createCollector(4 * 1024 * 1024);

/** How long a client has to read the answer before its connection is closed on the rest of the body. */
const lingerMs = 1000;

/**
 * Reads a body; undefined where it is longer than `limit`. No more than `limit` bytes are ever held. `check` sees each piece as it
 * arrives, and ends the reading where it throws.
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

async function readUpTo(
  request: IncomingMessage,
  limit: number,
  check: (piece: Buffer) => void,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of piecesOf(request)) {
    size += piece.length;
    if (size > limit) return undefined;
    check(piece);
    countReceived(piece);
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
}

async function* piecesOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    // The client has gone and cannot read this answer, so it is not logged as a failure.
    throw invalid('the request broke off');
  }
}

/**
 * Ends the connection after the answer if a large part of the body is still to come. Node would otherwise receive all of it, and
 * each chunk costs memory until the next garbage collection. A connection that is closed while the client still sends takes the
 * answer away from the client, so it is half-closed first (RFC 9112 §9.6).
 */
export function stopReading(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const isLarge = encoding !== undefined || Number(length ?? 0) > maxUnreadBytes;
  if (!isLarge) return void request.resume();
  const { socket } = request;
  response.setHeader('connection', 'close');
  // Node calls this when the answer has been written.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
  let left = maxUnreadBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    countReceived(chunk);
    if (left <= 0) request.pause();
  });
}
