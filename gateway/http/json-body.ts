import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, problem } from '@bailiwick/errors';
import { readBody } from '@bailiwick/wire';
import { assertContent } from './content.ts';
import { countKeys, findDuplicateKey } from './duplicate-keys.ts';
import { holdLarge } from './large-bodies.ts';

// Reads the body of an operation. Depth and values are counted while bytes arrive: 800 kB of
// brackets would become 40 MB of objects, and are rejected before the second kB.

const maxBodyBytes = 1024 * 1024;
/** Several times the depth of the largest documented request. */
const maxDepth = 32;
const maxValues = 20_000;

// A byte order mark stays, and is no JSON (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

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
  assertContent(request, accepted, 'application/json');
  const [scan, hold] = [createScan(), holdLarge(response, ip)];
  const body = await readBody(request, response, maxBodyBytes, (piece) => {
    scan.feed(piece);
    hold(piece);
  });
  if (!body) throw invalid('the body must be at most 1 MiB', 'BODY_TOO_LARGE', { Limit: '1 MiB' });
  const json = parseJson(body, scan.keys());
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw invalid('the body must be a JSON object', 'NOT_AN_OBJECT');
  return { json: json as Record<string, unknown>, bytes: body.length };
}

const [quote, backslash, comma, colon, openBrace, closeBrace, openBracket, closeBracket] =
  Array.from('"\\,:{}[]', (character) => character.charCodeAt(0));

/**
 * Scans the pieces of one body. `feed` throws if JSON is nested too deep or has too many values; the
 * parser rejects all other errors. `keys` counts the keys in the text.
 */
export function createScan(): { feed: (piece: Uint8Array) => void; keys: () => number } {
  let depth = 0;
  let values = 1;
  let keys = 0;
  let inText = false;
  let isEscaped = false;
  const feed = (piece: Uint8Array): void => {
    for (const byte of piece) {
      if (inText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) inText = true;
      else if (byte === colon) keys += 1;
      else if (byte === comma) values += 1;
      else if (byte === openBrace || byte === openBracket) {
        depth += 1;
        values += 1;
      } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
      if (depth > maxDepth)
        throw invalid(`the body must be nested at most ${maxDepth} levels deep`, 'TOO_DEEP', {
          Limit: String(maxDepth),
        });
      if (values > maxValues)
        throw invalid(`the body must have at most ${maxValues} values`, 'TOO_MANY_VALUES', {
          Limit: String(maxValues),
        });
    }
  };
  return { feed, keys: () => keys };
}

/** Parses a body whose text has so many keys. */
function parseJson(body: Uint8Array, keys: number): unknown {
  const [text, json] = parsed(body);
  if (typeof json === 'object' && json !== null && countKeys(json) !== keys)
    throw duplicateKey(findDuplicateKey(text));
  return json;
}

const duplicateKey = (path: string) =>
  invalid(problem(path, 'unique', 'is a duplicate key'), 'DUPLICATE_KEY', { Key: path });

function parsed(body: Uint8Array): [text: string, json: unknown] {
  try {
    const text = utf8.decode(body);
    return [text, JSON.parse(text)];
  } catch {
    const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
    const rule = `must be JSON in UTF-8${hasMark ? ' without a byte order mark' : ''}`;
    throw invalid(`the body ${rule}`, 'NOT_JSON');
  }
}
