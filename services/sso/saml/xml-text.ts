import { Buffer } from 'node:buffer';

/** Creates the error for a rejected text. `detail` continues a sentence about the document. */
export type Refuse = (detail: string) => Error;

/** Far above real documents, yet small enough for any parser. */
export const maxBytes = 256 * 1024;
const maxElements = 10_000;
const maxAttributes = 200;
const maxPrefixes = 64;

const declaration =
  /^\s*<\?xml\s+version\s*=\s*(["'])1\.0\1(?:\s+encoding\s*=\s*(["'])(?:utf-?8|us-ascii)\2)?(?:\s+standalone\s*=\s*(["'])(?:yes|no)\3)?\s*\?>/i;

/** A declaration of another version or encoding, which is refused by its name. */
const otherVersion = /^\s*<\?xml\s+version\s*=\s*["'](1\.1)["']/i;
const otherEncoding = /^\s*<\?xml\s[^>]{0,100}?\bencoding\s*=\s*["']([A-Za-z][\w.:-]{0,39})["']/i;

/**
 * Removes the XML declaration and rejects everything that can be detected without a parser: DTDs,
 * entities, processing instructions, CDATA, and comments unless `hasComments`. Each of these can
 * make two parsers read a text differently.
 */
export function assertText(text: string, hasComments: boolean, refuse: Refuse): string {
  if (Buffer.byteLength(text) > maxBytes) throw refuse(`is larger than ${maxBytes / 1024} KiB`);
  const body = text.replace(declaration, '').trim();
  const [, version] = otherVersion.exec(body) ?? [];
  if (version !== undefined) throw refuse(`is XML ${version}, and only XML 1.0 is read`);
  const [, encoding] = otherEncoding.exec(body) ?? [];
  if (encoding !== undefined)
    throw refuse(`declares the encoding ${encoding}, and only UTF-8 is read`);
  // In well-formed XML a "<" always starts markup.
  if (/<!DOCTYPE|<!ENTITY/i.test(body))
    throw refuse('has a document type declaration, which is refused');
  if ((hasComments ? /<!(?!--)|<\?/ : /<!|<\?/).test(body))
    throw refuse('has comments, processing instructions or CDATA, which are refused');
  if (!body.startsWith('<') || !body.endsWith('>')) throw refuse('is not well-formed XML');
  assertBounded(body, refuse);
  return body;
}

/**
 * The parser's cost is quadratic in the attributes of an element, and it copies all namespaces for
 * each element that declares one.
 */
function assertBounded(body: string, refuse: Refuse): void {
  const pieces = body.split('<', maxElements * 2 + 2);
  if (pieces.length > maxElements * 2 + 1) throw refuse('has too many elements');
  if (pieces.some((piece) => piece.split('=', maxAttributes + 2).length > maxAttributes + 1))
    throw refuse('has an element with too many attributes');
  const prefixes = new Set(Array.from(body.matchAll(/xmlns:[^\s=]{0,100}/g), ([name]) => name));
  if (prefixes.size > maxPrefixes) throw refuse('declares too many namespaces');
}
