import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { ServiceError } from '@bailiwick/shared/errors.ts';

// The plain pages that the links in mails open. The token is in the URL's fragment, which reaches neither a
// server's log nor a Referer, and it is used by a person's click, so that no mail scanner consumes it.

const read = (name: string) => readFileSync(new URL(`pages/${name}`, import.meta.url));

const files = new Map([
  ['/verify', { type: 'text/html; charset=utf-8', body: read('verify.html') }],
  ['/reset', { type: 'text/html; charset=utf-8', body: read('reset.html') }],
  ['/invitation', { type: 'text/html; charset=utf-8', body: read('invitation.html') }],
  ['/pages/page.js', { type: 'text/javascript; charset=utf-8', body: read('page.js') }],
  ['/pages/invitation.js', { type: 'text/javascript; charset=utf-8', body: read('invitation.js') }],
  ['/pages/page.css', { type: 'text/css; charset=utf-8', body: read('page.css') }],
]);
const errorPage = read('error.html').toString();

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

export const isPage = (pathname: string) => files.has(pathname);

export function sendPage(response: ServerResponse, pathname: string): void {
  const file = files.get(pathname);
  if (file) response.writeHead(200, { ...headers, 'content-type': file.type, 'content-length': file.body.length }).end(file.body);
}

/** A failure on a browser's way, in words for its person. */
export function sendErrorPage(response: ServerResponse, error: ServiceError, requestId: string): void {
  const status = error.code === 'permission_denied' ? 403 : error.code === 'internal' || error.code === 'unavailable' ? 500 : 400;
  const body = errorPage.replace('{{message}}', escapeHtml(error.message)).replace('{{requestId}}', escapeHtml(requestId));
  response.writeHead(status, { ...headers, 'content-type': 'text/html; charset=utf-8' }).end(body);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
