import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { noBrand } from '../pages/page-brands.ts';
import { type ConsoleManifest, openConsole } from './console.ts';

const hash = 'a'.repeat(43);
const script = 'export {};';
const page =
  '<html lang="{{lang}}"><meta nonce="{{nonce}}"><meta name="visitor" content="{{visitor}}"><script src="{{root}}console/assets/x.js"></script>{{face}}{{texts}}</html>';

/** A folder with a console of one script, and one file beside it that the list does not name. */
function consoleFolder(t: TestContext): URL {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-console-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'portal.html'), `${page}portal`);
  writeFileSync(join(folder, 'assets/x.js'), script);
  writeFileSync(join(folder, 'assets/x.js.br'), brotliCompressSync(script));
  writeFileSync(join(folder, 'assets/x.js.gz'), gzipSync(script));
  writeFileSync(join(folder, 'assets/secret.js'), script);
  const names = ['assets/x.js', 'assets/x.js.br', 'assets/x.js.gz', 'index.html', 'assets/gone.js'];
  const manifest: ConsoleManifest = {
    source: hash,
    files: Object.fromEntries(names.map((name) => [name, `${hash}${name.at(-1)}`])),
    texts: { de: 'assets/de.js' },
  };
  writeFileSync(join(folder, 'files.json'), JSON.stringify(manifest));
  return pathToFileURL(`${folder}/`);
}

/** Asks for a path of a server that has nothing but the console. */
async function serve(t: TestContext, folder: URL, prefix = '', brand = noBrand) {
  const console = openConsole(true, brand, folder);
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (!console.has(path)) return void response.writeHead(404).end();
    console
      .send(request, response, path, { prefix, isAnonymous: !request.headers.cookie })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' });
}

test('without a build, or switched off, no address is served', (t) => {
  const folder = consoleFolder(t);
  for (const closed of [
    openConsole(true, noBrand, new URL('none/', folder)),
    openConsole(false, noBrand, folder),
  ]) {
    assert.equal(closed.isServed, false);
    for (const path of ['/console', '/account', '/portal', '/console/assets/x.js'])
      assert.equal(closed.has(path), false, path);
  }
});

test('the portal has a page of its own at one address, with the same policy', async (t) => {
  const get = await serve(t, consoleFolder(t));
  const [portal, console] = await Promise.all([get('/portal'), get('/console')]);
  assert.match(await portal.text(), /portal$/);
  assert.doesNotMatch(await console.text(), /portal/);
  const policyOf = ({ headers }: Response) =>
    headers.get('content-security-policy')?.replace(/nonce-[^']+/, '');
  assert.equal(policyOf(portal), policyOf(console));
  assert.equal(portal.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(portal.headers.get('cache-control'), 'no-store');
  assert.equal((await get('/portal/x')).status, 404);
});

test('every view has the same page, with the path of the public URL and the visitor’s language', async (t) => {
  const get = await serve(t, consoleFolder(t), '/iam');
  for (const path of [
    '/console',
    '/console/',
    '/console/t/acme.com/members',
    '/account/sessions',
  ]) {
    const answer = await get(path, { 'accept-language': 'de' });
    const html = await answer.text();
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(html, /<html lang="de">.*src="\/iam\/console\/assets\/x\.js"/);
    assert.match(
      html,
      /<link rel="modulepreload" crossorigin href="\/iam\/console\/assets\/de\.js"/,
    );
  }
});

test('a page loads the typeface, and has the brand of the installation', async (t) => {
  const folder = consoleFolder(t);
  const plain = await (await (await serve(t, folder, '/iam'))('/console')).text();
  assert.match(plain, /<link rel="preload" href="\/iam\/pages\/fonts\/[\w-]+\.woff2" as="font"/);
  assert.match(plain, /<link rel="stylesheet" href="\/iam\/pages\/face\.css" \/>/);
  assert.match(plain, /<link rel="icon" [^>]*href="\/iam\/pages\/icon\.svg" \/>/);
  assert.match(plain, /<meta name="application-name" content="Bailiwick" \/>/);
  assert.doesNotMatch(plain, /bailiwick-logo/);
  const logo = { path: '/brand/logo', width: 96, height: 24 };
  const brand = { ...noBrand, name: 'Acme "ID"', color: '#8a1538', logo, hasIcon: true };
  const branded = await (await (await serve(t, folder, '/iam', brand))('/portal')).text();
  assert.match(branded, /<link rel="icon" href="\/iam\/brand\/icon" \/>/);
  assert.match(branded, /<meta name="application-name" content="Acme &quot;ID&quot;" \/>/);
  assert.match(
    branded,
    /<meta name="bailiwick-logo" content="\/iam\/brand\/logo" data-width="96" data-height="24" \/>/,
  );
  assert.doesNotMatch(branded, /brand\.css/);
});

test('each page has a fresh nonce, which its policy allows for styles only', async (t) => {
  const get = await serve(t, consoleFolder(t));
  const nonces = await Promise.all(
    [1, 2].map(async () => {
      const answer = await get('/console');
      const policy = answer.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /nonce="([^"]+)"/.exec(await answer.text()) ?? [];
      assert.ok(policy.includes(`; style-src 'self' 'nonce-${nonce}'; `), policy);
      assert.match(policy, /^default-src 'none'; script-src 'self'; /);
      assert.doesNotMatch(policy, /unsafe-|\*/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      return nonce;
    }),
  );
  assert.equal(new Set(nonces).size, 2);
  assert.ok(nonces.every((nonce) => nonce.length >= 22));
});

test('a file is sent in the best encoding that the client takes, for ever, and once', async (t) => {
  const get = await serve(t, consoleFolder(t));
  const encodingFor = async (accepted: string) =>
    (await get('/console/assets/x.js', { 'accept-encoding': accepted })).headers.get(
      'content-encoding',
    );
  assert.equal(await encodingFor('gzip, deflate, br'), 'br');
  assert.equal(await encodingFor('gzip'), 'gzip');
  assert.equal(await encodingFor('br;q=0, gzip;q=0.5'), 'gzip');
  assert.equal(await encodingFor('br; q=0.0, gzip;q=0'), null);
  const answer = await get('/console/assets/x.js', { 'accept-encoding': 'br' });
  assert.equal(await answer.text(), script);
  assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
  assert.equal(answer.headers.get('vary'), 'accept-encoding');
  const etag = answer.headers.get('etag') ?? '';
  const headers = { 'accept-encoding': 'br', 'if-none-match': etag };
  assert.equal((await get('/console/assets/x.js', headers)).status, 304);
});

test('only listed files are sent', async (t) => {
  const get = await serve(t, consoleFolder(t));
  for (const path of [
    'secret.js',
    'gone.js',
    'missing.js',
    'x.js.br',
    '..%2findex.html',
    '__proto__',
    '',
  ])
    assert.equal((await get(`/console/assets/${path}`)).status, 404, path);
  assert.equal((await get('/consoles')).status, 404);
});
