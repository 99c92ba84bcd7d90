import type { IncomingMessage } from 'node:http';

/** Whether the client has this version already (RFC 9110, section 13.1.2). */
export function isCurrent(request: IncomingMessage, etag: string): boolean {
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
