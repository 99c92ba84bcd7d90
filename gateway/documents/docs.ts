import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { etagOf, isCurrent } from '../http/etag.ts';
import { fontMarkup } from '../pages/face.ts';
import { mark } from '../pages/page-brands.ts';
import { today, withCurrentTimes } from './example-times.ts';
import { openGuides } from './guides.ts';

// Serves the OpenAPI document and its reference, both from this host. The guides link to it. It is
// our own: axe finds violations of WCAG 2.2 AA in Scalar, RapiDoc and Stoplight Elements.

type Asset = { type: string; body: Buffer; etag: string };

const page = (name: string) => new URL(`../pages/${name}`, import.meta.url);
const assetOf = (type: string, body: Buffer): Asset => ({
  type: `${type}; charset=utf-8`,
  body,
  etag: etagOf(body),
});
const asset = (name: string, type: string): Asset => assetOf(type, readFileSync(page(name)));
const guides = openGuides();
// The link to the guides is in the page only where the guides are.
const reference = readFileSync(page('docs.html'), 'utf8')
  .replace('<!-- guides -->', guides.exist ? '<a href="docs/guides/">Guides</a>' : '')
  .replace('<!-- font -->', fontMarkup(''))
  .replace('<!-- mark -->', mark);
const scripts = ['docs', 'docs-markup', 'docs-operation', 'docs-schema', 'elements'].map(
  (name) => `${name}.js`,
);

const assets = new Map<string, Asset>([
  ['/docs', assetOf('text/html', Buffer.from(reference))],
  ['/docs/docs.css', asset('docs.css', 'text/css')],
  ...scripts.map((name) => [`/docs/${name}`, asset(name, 'text/javascript')] as const),
]);
const document = new URL('../openapi.json', import.meta.url);
let current: { day: number; asset: Asset } | undefined;

/**
 * The OpenAPI document, built once a day because its example times follow the date. All responses
 * share its buffer.
 */
export function openApiDocument(): Asset {
  const day = today();
  if (current?.day !== day)
    current = {
      day,
      asset: assetOf(
        'application/json',
        Buffer.from(withCurrentTimes(readFileSync(document, 'utf8'), day)),
      ),
    };
  return current.asset;
}

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export const isDocs = (pathname: string) =>
  pathname === '/docs/' ||
  pathname === '/openapi.json' ||
  assets.has(pathname) ||
  guides.has(pathname);

/** Sends the file of a path that `isDocs` accepts. `prefix` is the path of the public URL. */
export async function sendDocs(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  prefix: string,
): Promise<void> {
  if (guides.has(pathname)) return guides.send(request, response, pathname, prefix);
  // The page's links are relative, so only the path without a trailing slash resolves them under
  // any prefix.
  if (pathname === '/docs/')
    return void response.writeHead(308, { ...headers, location: '../docs' }).end();
  send(request, response, assets.get(pathname) ?? openApiDocument());
}

/** The browser revalidates each time: an upgrade changes these files under the same names. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { type, body, etag }: Asset,
): void {
  const caching = { etag, 'cache-control': 'no-cache' };
  if (isCurrent(request, etag))
    return void response.writeHead(304, { ...headers, ...caching }).end();
  response
    .writeHead(200, { ...headers, ...caching, 'content-type': type, 'content-length': body.length })
    .end(body);
}
