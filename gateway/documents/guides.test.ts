import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type GuidesManifest, openGuides } from './guides.ts';

const hash = 'a'.repeat(43);
const page = '<a href="/docs/guides/assets/x.js">x</a>';

/** A folder with a site of three files, and one file beside it that the list does not name. */
function siteFolder(t: TestContext): URL {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-guides-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'api'));
  mkdirSync(join(folder, 'assets'));
  for (const file of ['index.html', 'api/index.html', 'secret.txt'])
    writeFileSync(join(folder, file), page);
  writeFileSync(join(folder, 'assets/x.js'), 'export {};');
  const manifest: GuidesManifest = {
    files: { 'index.html': hash, 'api/index.html': hash, 'assets/x.js': hash, 'gone.html': hash },
    scripts: ['sha256-script='],
    styles: ['sha256-style='],
  };
  writeFileSync(join(folder, 'files.json'), JSON.stringify(manifest));
  return pathToFileURL(`${folder}/`);
}

/** Asks for a path of a server that has nothing but the guides. */
async function serve(t: TestContext, folder: URL, prefix = '') {
  const guides = openGuides(folder);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (!guides.has(path)) return void response.writeHead(404).end();
    guides.send(request, response, path, prefix).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' });
}

test('without a built site there are no guides', (t) => {
  const folder = new URL('none/', siteFolder(t));
  const guides = openGuides(folder);
  assert.equal(guides.exist, false);
  for (const path of ['/docs/guides', '/docs/guides/', '/docs/guides/index.html'])
    assert.equal(guides.has(path), false, path);
});

test('a list that cannot be read stops the start', (t) => {
  const folder = siteFolder(t);
  writeFileSync(new URL('files.json', folder), '{');
  assert.throws(() => openGuides(folder), SyntaxError);
});

test('files have their types, a policy without unsafe sources, and caching by their names', async (t) => {
  const get = await serve(t, siteFolder(t));
  const html = await get('/docs/guides/');
  assert.equal(html.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(html.headers.get('cache-control'), 'no-cache');
  assert.equal(html.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(await html.text(), page);
  const policy = html.headers.get('content-security-policy') ?? '';
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self' 'sha256-script='; style-src 'self'; /,
  );
  assert.match(policy, /style-src-attr 'unsafe-hashes' 'sha256-style='; /);
  assert.doesNotMatch(policy, /unsafe-(inline|eval)|\*/);
  const script = await get('/docs/guides/assets/x.js');
  assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.match(script.headers.get('cache-control') ?? '', /immutable/);
});

test('a folder is its index page, and the address without a slash leads to the site', async (t) => {
  const get = await serve(t, siteFolder(t));
  assert.equal(await (await get('/docs/guides/api/')).text(), page);
  const moved = await get('/docs/guides');
  assert.deepEqual([moved.status, moved.headers.get('location')], [308, 'guides/']);
});

test('only listed files are sent', async (t) => {
  const get = await serve(t, siteFolder(t));
  for (const path of [
    'secret.txt',
    'files.json',
    '%2e%2e/package.json',
    '..%2fsecret.txt',
    'api/..%2findex.html',
    'assets',
    '/index.html',
    'gone.html',
    '__proto__',
    'constructor',
  ])
    assert.equal((await get(`/docs/guides/${path}`)).status, 404, path);
});

test('the former addresses of the API reference lead to the one of the gateway', async (t) => {
  const get = await serve(t, siteFolder(t), '/iam');
  const answer = await get('/docs/guides/api/groups.html');
  assert.deepEqual([answer.status, answer.headers.get('location')], [308, '/iam/docs']);
});

test('a client that has the current version gets 304', async (t) => {
  const get = await serve(t, siteFolder(t));
  const etag = (await get('/docs/guides/')).headers.get('etag') ?? '';
  const again = await get('/docs/guides/', { 'if-none-match': `"other", W/${etag}` });
  assert.deepEqual([again.status, again.headers.get('etag')], [304, etag]);
  assert.equal((await get('/docs/guides/', { 'if-none-match': '"other"' })).status, 200);
});

test('links are below the path of the public URL', async (t) => {
  const folder = siteFolder(t);
  const plain = await (await serve(t, folder))('/docs/guides/');
  const below = await (await serve(t, folder, '/iam'))('/docs/guides/');
  assert.equal(await below.text(), page.replace('/docs', '/iam/docs'));
  assert.notEqual(below.headers.get('etag'), plain.headers.get('etag'));
});
