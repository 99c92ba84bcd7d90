import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The version of a body: the same for the same bytes. */
export const etagOf = (body: Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url')}"`;

/** Whether the client has this version already (RFC 9110, section 13.1.2). */
export function isCurrent(request: IncomingMessage, etag: string): boolean {
  const etags = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''));
  return etags.includes(etag) || etags.includes('*');
}
