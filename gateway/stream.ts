import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@bailiwick/proto/json/encode.ts';

/** A piece of a long answer, and where the next one begins ("" = that was the last). */
type Piece = { data: string; contentType: string; nextCursor: string };

/** The piece that an operation's response holds. */
export function pieceOf(body: JsonObject): Piece {
  const text = (key: string): string => (typeof body[key] === 'string' ? body[key] : '');
  return { data: text('Data'), contentType: text('ContentType'), nextCursor: text('NextCursor') };
}

/**
 * Sends a long text piece by piece, each one asked for when the one before it has gone. What fails after the first piece
 * breaks the connection: the status is sent by then, and a text that ends early must not look like a whole one.
 */
export async function sendStream(
  response: ServerResponse,
  gone: AbortSignal,
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
    // Not faster than the client reads.
    if (piece.data !== '' && !response.write(piece.data))
      await once(response, 'drain', { signal: gone }).catch(() => {});
    if (gone.aborted) return;
    if (piece.nextCursor === '') return void response.end();
    piece = await ask(piece.nextCursor);
  }
}
