import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { deferred } from '@bailiwick/process';
import { escapeHtml, fill, iconSvg, paletteStyle, shippedLocales } from '@bailiwick/texts';
import { LRUCache } from 'lru-cache';
import { etagOf, isCurrent } from '../http/etag.ts';
import { accepts, forEver } from '../http/static-files.ts';
import { faceStyle, fontFiles } from './face.ts';
import { brandMarkup, brandStyle, mark, noBrand, type PageBrand } from './page-brands.ts';
import { languageHeaders, languageOf } from './page-language.ts';
import {
  fillKnown,
  readPageFile,
  renderPage,
  scriptNames,
  textOf,
  titleWithNames,
} from './page-texts.ts';

// The HTML pages: sign-in, and the targets of links in mails. A mail's token is in the URL
// fragment, which reaches neither server logs nor a Referer, and is used on a click, so that mail
// scanners do not consume it. No page shows text from its address.

/**
 * A body as it is and compressed, once a client asks for it so. Neither has a secret, so its length
 * tells nothing.
 */
type Body = { plain: Buffer; gzip: () => Buffer };
function bodyOf(plain: Buffer): Body {
  let packed: Buffer | undefined;
  return { plain, gzip: () => (packed ??= gzipSync(plain, { level: 9 })) };
}

const brandedNames = [
  'login',
  'signed-out',
  'verify',
  'reset',
  'invitation',
  'factors',
  'passkeys',
];
const brandedPaths = new Set(brandedNames.map((name) => `/${name}`));
const pages = new Map<string, string>();

/** A page with its texts in one language. */
export function pageIn(name: string, locale: string): string {
  const key = `${name} ${locale}`;
  const page = pages.get(key) ?? renderPage(name, locale);
  pages.set(key, page);
  return page;
}

type Asset = Body & { type: string; etag: string };
const assetOf = (type: string, plain: Buffer): Asset => ({
  type: `${type}; charset=utf-8`,
  etag: etagOf(plain),
  ...bodyOf(plain),
});
const assets = new Map<string, Asset>([
  ...scriptNames.map(
    (name) =>
      [`/pages/${name}.js`, assetOf('text/javascript', readPageFile(`${name}.js`))] as const,
  ),
  // Draws the QR codes of authenticator apps in the browser, since they contain a secret.
  [
    '/pages/lean-qr.js',
    assetOf('text/javascript', readFileSync(new URL(import.meta.resolve('lean-qr')))),
  ],
  [
    '/pages/page.css',
    assetOf(
      'text/css',
      Buffer.from([faceStyle, paletteStyle(), readPageFile('page.css').toString()].join('\n')),
    ),
  ],
  // The console has colours of its own, which follow the user's choice of a scheme.
  ['/pages/face.css', assetOf('text/css', Buffer.from(faceStyle))],
  ['/pages/icon.svg', assetOf('image/svg+xml', Buffer.from(iconSvg()))],
]);
// Before a user waits, and a page with a missing text ends the process.
deferred(async () => {
  for (const { gzip } of assets.values()) gzip();
  for (const name of [...brandedNames, 'home', 'missing', 'error', 'choice', 'post'])
    for (const locale of shippedLocales) pageIn(name, locale);
});

const brandCss = '/pages/brand.css';

export const headersOf = (formAction: string) => ({
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'; img-src 'self'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});
const headers = headersOf("'none'");
export const html = 'text/html; charset=utf-8';

/** Whether the client prefers HTML to JSON. */
export const acceptsHtml = ({ headers: { accept = '' } }: IncomingMessage) =>
  /\btext\/html\b/.test(accept);

/**
 * Sends the page at `/`, which leads to the console first if there is one. Its links are absolute,
 * since a proxy may serve it at `/iam` or at `/iam/`.
 */
export function sendHomePage(
  request: IncomingMessage,
  response: ServerResponse,
  base: string,
  hasConsole: boolean,
): void {
  const locale = languageOf(request);
  const root = escapeHtml(base);
  const link = `<p><a class="button" href="${root}/console">${escapeHtml(textOf(locale, 'home.console'))}</a></p>`;
  const first = hasConsole ? { console: link, plain: ' plain' } : { console: '', plain: '' };
  const body = Buffer.from(
    fill(pageIn('home', locale), {
      base: root,
      ...first,
      mark,
      ...markupOf(noBrand, locale, `${root}/`),
    }),
  );
  response
    .writeHead(200, {
      ...headers,
      ...languageHeaders(locale),
      'content-type': html,
      'content-length': body.length,
    })
    .end(body);
}

/** Whether a path has a page with a brand, and not one of its files. */
export const isBranded = (pathname: string) => brandedPaths.has(pathname);
export const isPage = (pathname: string) =>
  isBranded(pathname) || assets.has(pathname) || fontFiles.has(pathname) || pathname === brandCss;

// Two caches: anyone can ask for every colour, which must not evict the pages.
const brandedPages = new LRUCache<string, Body>({ max: 300 });
const brandStyles = new LRUCache<string, Asset>({ max: 100 });

/** The stylesheet of the colour in the address; empty for a colour that no brand can have. */
function styleOf({ url = '/' }: IncomingMessage): Asset {
  const input = URL.parse(url, 'http://gateway')?.searchParams.get('color') ?? '';
  const color = /^[\da-f]{6}$/i.test(input) ? input : '';
  const style = brandStyles.get(color) ?? assetOf('text/css', brandStyle(color));
  brandStyles.set(color, style);
  return style;
}

/**
 * `app` is the name of the app that the user signs in to, '' = none. `isAnonymous`: the browser has no
 * session, so that the page's script need not ask, which browsers note as an error.
 */
type PageVisit = { brand: PageBrand; app: string; isAnonymous: boolean };

/** Sends the page or file at a path that `isPage` accepts. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  { brand = noBrand, app = '', isAnonymous = false }: Partial<PageVisit> = {},
): void {
  const font = fontFiles.get(pathname);
  if (font) return sendFont(request, response, font);
  if (!isBranded(pathname))
    return sendAsset(request, response, assets.get(pathname) ?? styleOf(request));
  const locale = languageOf(request);
  sendBody(request, response, brandedPage(pathname, locale, { brand, app, isAnonymous }), {
    ...headers,
    ...languageHeaders(locale),
    'content-type': html,
  });
}

/** A page with a brand. */
function brandedPage(
  pathname: string,
  locale: string,
  { brand, app, isAnonymous }: PageVisit,
): Body {
  const key = JSON.stringify([pathname, locale, brand, app, isAnonymous]);
  const visitor = isAnonymous ? ' data-visitor="anonymous"' : '';
  const page = pageIn(pathname.slice(1), locale);
  const body =
    brandedPages.get(key) ??
    bodyOf(
      Buffer.from(
        fillKnown(page, {
          ...markupOf(brand, locale, ''),
          visitor,
          signInTitle: signInTitle(app, locale),
        }),
      ),
    );
  brandedPages.set(key, body);
  return body;
}

/** The heading and title of the sign-in page. Scripts read it, so that it has no markup. */
const signInTitle = (app: string, locale: string): string =>
  app === ''
    ? escapeHtml(textOf(locale, 'common.signIn'))
    : titleWithNames(locale, 'login.signInTo', { app });

/** A brand's parts of a page. `root` is the way from the page to the public URL. */
export const markupOf = (brand: PageBrand, locale: string, root: string) =>
  brandMarkup(brand, root, {
    terms: textOf(locale, 'common.terms'),
    privacy: textOf(locale, 'common.privacy'),
  });

/** The browser revalidates each time: an upgrade changes these files under the same names. */
function sendAsset(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const { type, etag } = asset;
  const caching = {
    ...headers,
    etag: `W/${etag}`,
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  };
  if (isCurrent(request, etag)) return void response.writeHead(304, caching).end();
  sendBody(request, response, asset, { ...caching, 'content-type': type });
}

/** A font is compressed as it is. Its name has a hash, so that a browser keeps it for ever. */
function sendFont(request: IncomingMessage, response: ServerResponse, font: Buffer): void {
  const caching = { ...headers, etag: etagOf(font), 'cache-control': forEver };
  if (isCurrent(request, caching.etag)) return void response.writeHead(304, caching).end();
  response
    .writeHead(200, { ...caching, 'content-type': 'font/woff2', 'content-length': font.length })
    .end(font);
}

function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  { plain, gzip }: Body,
  head: Readonly<Record<string, string>>,
): void {
  const isCompressed = accepts(request, 'gzip');
  const body = isCompressed ? gzip() : plain;
  response
    .writeHead(200, {
      ...head,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
      'content-length': body.length,
    })
    .end(body);
}

/** The way from a page to the public URL, which a proxy may serve below a prefix. */
export const rootFrom = (pathname: string): string => '../'.repeat(pathname.split('/').length - 2);
/** The way from the routes /auth/{tenant}/{id}/…. */
export const authRoot = '../../../';
