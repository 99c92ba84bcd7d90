import type { IncomingMessage } from 'node:http';
import { invalid } from '@bailiwick/errors';

// The headers about a request's body, and those that a request may have only once: a proxy and the
// gateway must not read different ones.

/** Fields of which Node keeps the first, or joins all, without a word. */
const single = new Set([
  'authorization',
  'content-encoding',
  'content-type',
  'dpop',
  'host',
  'idempotency-key',
  'if-match',
  'origin',
  'sec-fetch-site',
]);

/** @throws invalid_argument for a repeated header (RFC 9110, section 5.3, and RFC 9112, 3.2) */
export function assertSingleHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let names = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!single.has(name)) continue;
    if (names.includes(`${name}\n`))
      throw invalid(`the header ${name} must not be repeated`, 'DUPLICATE_HEADER', {
        Header: name,
      });
    names += `${name}\n`;
  }
}

export const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;

const charset = /;\s*charset\s*=\s*"?([^\s";]*)/gi;

/** @throws invalid_argument for a body of another type, in another charset than UTF-8, or compressed */
export function assertContent(
  { headers }: Pick<IncomingMessage, 'headers'>,
  accepted: RegExp,
  expected: string,
): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity')
    throw invalid('the body must not have a Content-Encoding', 'CONTENT_ENCODING');
  const type = headers['content-type'] ?? '';
  if (!accepted.test(type))
    throw invalid(`Content-Type must be ${expected}`, 'CONTENT_TYPE', { ContentType: expected });
  for (const [, name = ''] of type.matchAll(charset))
    if (!/^utf-?8$/i.test(name))
      throw invalid('the charset must be utf-8', 'CONTENT_TYPE', { Charset: 'utf-8' });
}
