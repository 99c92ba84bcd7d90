import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { type Stack, startStack } from '../harness.ts';

// /docs as a browser gets it: everything from this host, and a policy that lets nothing else in.

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

describe('GET /docs', () => {
  let stack: Stack;
  // The path of the public URL; a proxy hands it on or strips it.
  const prefix = '/iam';
  before(async () => {
    stack = await startStack('one process', {
      BAILIWICK_PUBLIC_URL: `https://example.com${prefix}`,
    });
  });
  after(() => stack?.stop());

  /** The page and everything it names, by address. */
  async function load(page: string): Promise<Map<string, { response: Response; text: string }>> {
    const loaded = new Map<string, { response: Response; text: string }>();
    const add = async (url: string) => {
      const response = await fetch(url);
      loaded.set(url, { response, text: await response.text() });
    };
    await add(page);
    for (const name of namesIn(loaded.get(page)?.text ?? '')) await add(new URL(name, page).href);
    return loaded;
  }

  /** What the page's tags name, without the data: address of its empty icon. */
  function namesIn(html: string): string[] {
    const names = Array.from(
      html.matchAll(/\b(?:src|href)="([^"]*)"/g),
      ([, name = '']) => name,
    ).filter((name) => name !== 'data:,');
    assert.ok(names.length >= 5, names.join());
    return names;
  }

  for (const path of ['/docs', `${prefix}/docs`]) {
    test(`${path} and its assets answer 200 with their types and the policy`, async () => {
      const loaded = await load(`${stack.url}${path}`);
      const types = new Map(
        Array.from(loaded, ([url, { response }]) => [
          new URL(url).pathname.replace(/\/\d+\.\d+\.\d+\//, '/*/'),
          response,
        ]),
      );
      const folder = path.replace(/docs$/, '');
      const expected = {
        [`${folder}docs`]: 'text/html; charset=utf-8',
        [`${folder}docs/*/swagger-ui.css`]: 'text/css; charset=utf-8',
        [`${folder}docs/docs.css`]: 'text/css; charset=utf-8',
        [`${folder}docs/*/swagger-ui-bundle.js`]: 'text/javascript; charset=utf-8',
        [`${folder}docs/docs.js`]: 'text/javascript; charset=utf-8',
        [`${folder}openapi.json`]: 'application/json; charset=utf-8',
      };
      assert.deepEqual([...types.keys()].sort(), Object.keys(expected).sort());
      for (const [name, type] of Object.entries(expected)) {
        const response = types.get(name);
        assert.equal(response?.status, 200, name);
        assert.equal(response.headers.get('content-type'), type, name);
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff', name);
        assert.equal(response.headers.get('referrer-policy'), 'no-referrer', name);
        const directives = (response.headers.get('content-security-policy') ?? '')
          .split('; ')
          .map((directive) => directive.split(/ (.*)/).slice(0, 2));
        assert.deepEqual(Object.fromEntries(directives), policy, name);
      }
    });
  }

  test('nothing comes from elsewhere: relative addresses, no inline code, no imports and no fonts', async () => {
    const loaded = await load(`${stack.url}/docs`);
    for (const [url, { text }] of loaded) {
      assert.ok(url.startsWith(`${stack.url}/`), url);
      if (url.endsWith('.css')) {
        assert.doesNotMatch(text, /@import|@font-face/, url);
        for (const [, source = ''] of text.matchAll(/url\(\s*["']?([^)"']{0,20})/g))
          assert.match(source, /^data:/, url);
      }
      if (url.endsWith('/docs')) {
        for (const name of namesIn(text)) assert.match(name, /^(?:docs\/|openapi\.json$)/);
        assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?:|\/\//);
      }
    }
  });

  test('Swagger UI is told to show openapi.json, and to ask no validator on another host', async () => {
    let config: Record<string, unknown> = {};
    const script = await (await fetch(`${stack.url}/docs/docs.js`)).text();
    runInNewContext(script, {
      SwaggerUIBundle: (given: Record<string, unknown>) => (config = given),
    });
    assert.equal(config['url'], 'openapi.json');
    assert.equal(config['validatorUrl'], null);
    assert.equal(config['persistAuthorization'], false);
    const html = await (await fetch(`${stack.url}/docs`)).text();
    assert.ok(html.includes(`id="${String(config['dom_id']).slice(1)}"`));
  });

  test('what is versioned is kept for good, the rest asks whether it still holds', async () => {
    for (const [url, { response, text }] of await load(`${stack.url}/docs`)) {
      const versioned = /\/docs\/\d+\.\d+\.\d+\//.test(url);
      assert.equal(
        response.headers.get('cache-control'),
        versioned ? 'public, max-age=31536000, immutable' : 'no-cache',
        url,
      );
      const head = await fetch(url, { method: 'HEAD' });
      assert.equal(head.status, 200, url);
      assert.equal(Number(head.headers.get('content-length')), Buffer.byteLength(text), url);
      const etag = response.headers.get('etag');
      if (url.endsWith('/docs')) continue;
      assert.match(etag ?? '', /^"[\w-]{43}"$/, url);
      const again = await fetch(url, { headers: { 'if-none-match': `"other", W/${etag}` } });
      assert.deepEqual(
        [again.status, await again.text(), again.headers.get('etag')],
        [304, '', etag],
        url,
      );
      assert.equal(
        (await fetch(url, { headers: { 'if-none-match': '"other"' } })).status,
        200,
        url,
      );
    }
  });

  test('the bundle is the file of the installed package, in the version of its address', async () => {
    const installed = (name: string) =>
      readFileSync(
        new URL(`../../gateway/node_modules/swagger-ui-dist/${name}`, import.meta.url),
        'utf8',
      );
    const { version } = JSON.parse(installed('package.json')) as { version: string };
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
      assert.ok(
        (await (await fetch(`${stack.url}/docs/${version}/${name}`)).text()) === installed(name),
        name,
      );
  });

  test('no other file of the package or of the gateway is there, and nothing but reading', async () => {
    for (const path of [
      'docs/x',
      'docs/docs.html',
      'docs/5/swagger-ui.css',
      'docs/..%2fpackage.json',
      'docs/%2e%2e/main.ts',
      'docs/package.json',
      'docs//docs.js',
    ])
      assert.equal((await fetch(`${stack.url}/${path}`)).status, 404, path);
    for (const path of ['docs', 'docs/docs.js', 'openapi.json']) {
      const refused = await fetch(`${stack.url}/${path}`, { method: 'POST' });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], path);
    }
  });

  test('/docs/ leads to /docs, below a path prefix too', async () => {
    for (const path of ['', prefix]) {
      const redirected = await fetch(`${stack.url}${path}/docs/`);
      assert.deepEqual([redirected.status, redirected.url], [200, `${stack.url}${path}/docs`]);
    }
  });

  test('a browser that goes away in the middle is no failure', async () => {
    const html = await (await fetch(`${stack.url}/docs`)).text();
    const bundle = namesIn(html).find((name) => name.endsWith('bundle.js')) ?? assert.fail();
    await new Promise<void>((resolve, reject) => {
      const request = get(new URL(bundle, `${stack.url}/docs`), (response: IncomingMessage) =>
        response.once('data', () => {
          response.destroy();
          resolve();
        }),
      );
      request.once('error', reject);
    });
    await sleep(200);
    assert.doesNotMatch(stack.logOf('gateway'), /a request failed/);
    assert.equal((await fetch(`${stack.url}/docs`)).status, 200);
  });
});
