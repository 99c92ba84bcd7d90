import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@bailiwick/contract';

/** A piece of a streamed response, and the cursor of the next piece ("" = this is the last). */
type Piece = { data: string; contentType: string; nextCursor: string };

/** Reads the piece from an operation's response. */
export function pieceOf(body: JsonObject): Piece {
  const text = (key: string): string => (typeof body[key] === 'string' ? body[key] : '');
  return { data: text('Data'), contentType: text('ContentType'), nextCursor: text('NextCursor') };
}

/**
 * Streams a long text, requesting each piece after the previous one is written. A failure after the
 * first piece closes the connection: the status is already sent, and a truncated text must not look
 * complete.
 */
export async function sendStream(
  response: ServerResponse,
  signal: AbortSignal,
  name: string,
  first: Piece,
  ask: (cursor: string) => Promise<Piece>,
): Promise<void> {
  let piece = first;
  const extension = piece.contentType.startsWith('text/csv') ? 'csv' : 'ndjson';
  response.writeHead(200, {
    'content-type': piece.contentType,
    'content-disposition': `attachment; filename="${name.toLowerCase().replaceAll('_', '-')}.${extension}"`,
    'cache-control': 'no-store',
  });
  for (;;) {
    // Back-pressure: wait until the client has read.
    if (piece.data !== '' && !response.write(piece.data))
      await once(response, 'drain', { signal }).catch(() => {});
    if (signal.aborted) return;
    if (piece.nextCursor === '') return void response.end();
    piece = await ask(piece.nextCursor);
  }
}
