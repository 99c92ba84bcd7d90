import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { failedPrecondition } from '@bailiwick/errors';
import { sendErrorPage } from './error-page.ts';
import { keepLanguage } from './page-language.ts';
import { isPage, sendPage } from './pages.ts';

const server = createServer((incoming, response) => {
  const { pathname } = new URL(incoming.url ?? '/', 'http://gateway');
  keepLanguage(incoming, response, 'http://127.0.0.1');
  if (isPage(pathname)) sendPage(incoming, response, pathname);
  else sendErrorPage(incoming, response, failedPrecondition('X'), 'id');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
  server.closeAllConnections();
  server.close();
});
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Fetches a page as a browser with these headers does. */
const open = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${base}${path}`, { headers });
  return { response, html: await response.text() };
};
const langOf = (html: string) => /<html lang="([^"]*)">/.exec(html)?.[1];

for (const [path, headers, locale] of [
  ['/login', {}, 'en'],
  ['/login', { 'accept-language': 'nl, de-CH;q=0.8, fr;q=0.5' }, 'de'],
  ['/login', { 'accept-language': 'fr', cookie: 'a=b; bailiwick_locale=ja' }, 'ja'],
  ['/login', { 'accept-language': 'fr', cookie: 'bailiwick_locale=xx' }, 'fr'],
  ['/login?ui_locale=pt', { 'accept-language': 'fr', cookie: 'bailiwick_locale=ja' }, 'pt-BR'],
  ['/login?ui_locale=%00"><b>', { 'accept-language': 'fr' }, 'fr'],
  ['/login?ui_locale=se%20de%20fr', { 'accept-language': 'fr' }, 'de'],
  ['/reset?ui_locale=DE', {}, 'de'],
  ['/auth/a/b/callback', { cookie: 'bailiwick_locale=es' }, 'es'],
] as const)
  test(`the page ${path} with ${JSON.stringify(headers)} is in ${locale}`, async () => {
    const { response, html } = await open(path, headers);
    assert.equal(langOf(html), locale);
    assert.equal(response.headers.get('content-language'), locale);
    assert.match(response.headers.get('vary') ?? '', /accept-language.*cookie/);
    assert.doesNotMatch(html, /<b>/);
  });

test('a language in the address is kept in a cookie, and an unknown one is not', async () => {
  const { response } = await open('/login?ui_locale=pt-PT&return_to=%2Fa');
  assert.equal(response.headers.get('set-cookie'), 'bailiwick_locale=pt-BR; Path=/; SameSite=Lax');
  for (const other of ['', '?ui_locale=', '?ui_locale=xx', '?ui_locale=x%0D%0Aset-cookie:a'])
    assert.equal((await open(`/login${other}`)).response.headers.get('set-cookie'), null, other);
});

/** Fetches without unpacking. */
async function raw(path: string, headers: Record<string, string>) {
  const clientRequest = request(`${base}${path}`, { headers }).end();
  const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
  return { encoding: response.headers['content-encoding'], body: await buffer(response) };
}

test('pages and scripts are compressed for clients that accept gzip', async () => {
  for (const path of ['/login', '/pages/login.js', '/pages/page.css']) {
    const plain = await raw(path, { 'accept-encoding': 'br, gzip;q=0' });
    const packed = await raw(path, { 'accept-encoding': 'br, gzip' });
    assert.equal(plain.encoding, undefined);
    assert.equal(packed.encoding, 'gzip');
    assert.ok(packed.body.length < plain.body.length / 1.5, path);
    assert.deepEqual(gunzipSync(packed.body), plain.body);
  }
});

test('the scripts and styles of /login are at most 30 KB compressed, in every language', async () => {
  const { html } = await open('/login?ui_locale=ja');
  const files = [...html.matchAll(/(?:src|href)="(pages\/[^"]+\.(?:js|css))"/g)].map(
    ([, file = '']) => file,
  );
  assert.ok(files.length >= 8, files.join());
  const sizes = await Promise.all(
    files.map(async (file) => (await raw(`/${file}`, { 'accept-encoding': 'gzip' })).body.length),
  );
  const page = (await raw('/login?ui_locale=ja', { 'accept-encoding': 'gzip' })).body.length;
  const total = sizes.reduce((sum, size) => sum + size, page);
  assert.ok(total <= 30_000, `${total} bytes`);
});

test('a browser that has a script already gets no second copy', async () => {
  const first = await open('/pages/login.js');
  const etag = first.response.headers.get('etag') ?? '';
  const { response, html } = await open('/pages/login.js', { 'if-none-match': etag });
  assert.deepEqual([response.status, html], [304, '']);
  assert.equal((await open('/pages/login.js', { 'if-none-match': '"x"' })).response.status, 200);
});
