import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid } from '@bailiwick/errors';
import { readBody } from '@bailiwick/rpc';
import { holdLarge } from './large-bodies.ts';

// Reads the body of an operation. Depth and values are counted while bytes arrive: 800 kB of
// brackets would become 40 MB of objects, and are rejected before the second kB.

const maxBodyBytes = 1024 * 1024;
/** Several times the depth of the largest documented request. */
const maxDepth = 32;
const maxValues = 20_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export type JsonBody = { json: Record<string, unknown>; bytes: number };

/**
 * Reads a body as a JSON object. `accepted`: its content types. @throws invalid_argument for an
 * invalid body, resource_exhausted if large bodies already hold too much memory
 */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  ip: string,
  accepted = /^application\/json\s*(;|$)/i,
): Promise<JsonBody> {
  if (!accepted.test(request.headers['content-type'] ?? ''))
    throw invalid('Content-Type must be application/json', 'CONTENT_TYPE');
  const [withinBounds, hold] = [createBounds(), holdLarge(response, ip)];
  const body = await readBody(request, response, maxBodyBytes, (piece) => {
    withinBounds(piece);
    hold(piece);
  });
  if (!body) throw invalid('the body must be at most 1 MiB', 'BODY_TOO_LARGE');
  const json = parseJson(body);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw invalid('the body must be a JSON object', 'NOT_AN_OBJECT');
  return { json: json as Record<string, unknown>, bytes: body.length };
}

const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = Array.from(
  '"\\,{}[]',
  (character) => character.charCodeAt(0),
);

/**
 * Returns a check for the pieces of one body. It throws if JSON is nested too deep or has too many
 * values; the parser rejects all other errors.
 */
export function createBounds(): (piece: Uint8Array) => void {
  let depth = 0;
  let values = 1;
  let inText = false;
  let isEscaped = false;
  return (piece) => {
    for (const byte of piece) {
      if (inText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) inText = true;
      else if (byte === comma) values += 1;
      else if (byte === openBrace || byte === openBracket) {
        depth += 1;
        values += 1;
      } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
      if (depth > maxDepth)
        throw invalid(`the body must be nested at most ${maxDepth} levels deep`, 'TOO_DEEP');
      if (values > maxValues)
        throw invalid(`the body must have at most ${maxValues} values`, 'TOO_MANY_VALUES');
    }
  };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw invalid('the body must be JSON in UTF-8', 'NOT_JSON');
  }
}
