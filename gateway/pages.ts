import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ServiceError } from '@bailiwick/errors';

// The HTML pages: sign-in, and the targets of links in mails. A mail's token is in the URL
// fragment, which reaches neither server logs nor a Referer, and is used on a click, so that mail
// scanners do not consume it. No page shows text from its address.

const read = (name: string) => readFileSync(new URL(`pages/${name}`, import.meta.url));

// Fills all placeholders in one pass, so that a filled-in value is never treated as a placeholder.
const fill = (page: string, values: Readonly<Record<string, string>>) =>
  page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');

/** A page with the parts that several pages share. */
const parts = { secondFactor: read('second-factor.html').toString() };
const readPage = (name: string) => Buffer.from(fill(read(`${name}.html`).toString(), parts));

const html = 'text/html; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';
const files = new Map([
  ...['login', 'verify', 'reset', 'invitation', 'factors', 'passkeys'].map(
    (name) => [`/${name}`, { type: html, body: readPage(name) }] as const,
  ),
  ...[
    'calls',
    'token',
    'waiting',
    'login',
    'second-factor',
    'mailed-code',
    'social',
    'passkey',
    'passkeys',
    'page',
    'invitation',
    'post',
    'factors',
    'records',
  ].map((name) => [`/pages/${name}.js`, { type: javascript, body: read(`${name}.js`) }] as const),
  // Draws the QR codes of authenticator apps in the browser, since they contain a secret.
  [
    '/pages/lean-qr.js',
    { type: javascript, body: readFileSync(new URL(import.meta.resolve('lean-qr'))) },
  ],
  ['/pages/page.css', { type: 'text/css; charset=utf-8', body: read('page.css') }],
]);
const homePage = read('home.html').toString();
const errorPage = read('error.html').toString();
const formPage = read('post.html').toString();

const headersOf = (formAction: string) => ({
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});
const headers = headersOf("'none'");

/** Whether the client prefers HTML to JSON. */
export const acceptsHtml = ({ headers: { accept = '' } }: IncomingMessage) =>
  /\btext\/html\b/.test(accept);

// The other pages' policy, plus data: images for the empty icon.
const homeHeaders = {
  ...headers,
  'content-security-policy': `${headers['content-security-policy']}; img-src data:`,
  vary: 'accept',
};

/**
 * Sends the page at `/`. Its links are absolute, since a proxy may serve it at `/iam` or at
 * `/iam/`.
 */
export function sendHomePage(response: ServerResponse, base: string): void {
  const body = Buffer.from(fill(homePage, { base: escapeHtml(base) }));
  response
    .writeHead(200, { ...homeHeaders, 'content-type': html, 'content-length': body.length })
    .end(body);
}

export const isPage = (pathname: string) => files.has(pathname);

export function sendPage(response: ServerResponse, pathname: string): void {
  const file = files.get(pathname);
  if (file)
    response
      .writeHead(200, { ...headers, 'content-type': file.type, 'content-length': file.body.length })
      .end(file.body);
}

const refused = {
  title: 'You cannot sign in this way',
  next: 'You can try once more, or sign in with another address.',
};
const broken = {
  title: 'Sign-in is not available at the moment',
  next: 'This is not your fault. Wait a moment, then start again.',
};
const statuses: Partial<Record<ServiceError['code'], number>> = {
  permission_denied: 403,
  resource_exhausted: 429,
  unavailable: 500,
  internal: 500,
};
const expired = { title: 'Sign-in failed', next: 'Start again on the sign-in page.' };

/**
 * Shows a sign-in failure to the user. The page's links are relative to the routes
 * /auth/{tenant}/{id}/….
 */
export function sendErrorPage(
  response: ServerResponse,
  error: ServiceError,
  requestId: string,
): void {
  const status = statuses[error.code] ?? 400;
  const { title, next } = status === 403 ? refused : status === 500 ? broken : expired;
  if (error.retryAfter > 0) response.setHeader('retry-after', error.retryAfter);
  const message =
    error.code === 'internal' ? 'Something went wrong on our side.' : sentence(error.message);
  const body = fill(errorPage, {
    title,
    next,
    message: escapeHtml(message),
    requestId: escapeHtml(requestId),
  });
  response.writeHead(status, { ...headers, 'content-type': html }).end(body);
}

/**
 * Sends a form that submits itself to another site (SAML's HTTP-POST binding). Only for the routes
 * /auth/{tenant}/{id}/…, to which its links are relative. Its policy names the site's scheme and
 * not its origin: browsers apply form-action to redirects too, and a provider may redirect users to
 * another of its hosts. Everything on the page is escaped.
 */
export function sendFormPage(
  response: ServerResponse,
  { url, fields }: { url: string; fields: Readonly<Record<string, string>> },
): void {
  const { href, protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('a form is sent to http or https');
  const inputs = Object.entries(fields).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}" />`,
  );
  const body = fill(formPage, { url: escapeHtml(href), fields: inputs.join('\n        ') });
  response.writeHead(200, { ...headersOf(protocol), 'content-type': html }).end(body);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
