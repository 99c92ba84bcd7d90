import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { type Stack, startStack } from '../support/harness.ts';

// /docs as a browser gets it: all resources from this host, with a policy that allows no others.

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

describe('GET /docs', () => {
  let stack: Stack;
  const scripts = ['docs.js', 'docs-markup.js', 'docs-operation.js', 'docs-schema.js'];
  // The path of the public URL; a proxy forwards it or strips it.
  const prefix = '/iam';
  before(async () => {
    stack = await startStack('one process', {
      BAILIWICK_PUBLIC_URL: `https://example.com${prefix}`,
    });
  });
  after(() => stack?.stop());

  /** The page and all resources it names, by URL. */
  async function load(page: string): Promise<Map<string, { response: Response; text: string }>> {
    const loaded = new Map<string, { response: Response; text: string }>();
    const add = async (url: string) => {
      const response = await fetch(url);
      loaded.set(url, { response, text: await response.text() });
    };
    await add(page);
    for (const name of namesIn(loaded.get(page)?.text ?? '')) await add(new URL(name, page).href);
    // The imports of the page's script.
    for (const name of scripts) await add(new URL(`docs/${name}`, page).href);
    // What it shares with the other pages has their headers.
    for (const url of loaded.keys()) if (url.includes('/pages/')) loaded.delete(url);
    return loaded;
  }

  /** The URLs in the page's tags, without its anchor and the guides, which may not be built. */
  function namesIn(html: string): string[] {
    const names = Array.from(
      html.matchAll(/\b(?:src|href)="([^"]*)"/g),
      ([, name = '']) => name,
    ).filter((name) => !['#', 'docs/guides/'].includes(name));
    assert.ok(names.length >= 4, names.join());
    return names;
  }

  for (const path of ['/docs', `${prefix}/docs`]) {
    test(`${path} and its assets answer 200 with their types and the policy`, async () => {
      const loaded = await load(`${stack.url}${path}`);
      const types = new Map(
        Array.from(loaded, ([url, { response }]) => [new URL(url).pathname, response]),
      );
      const folder = path.replace(/docs$/, '');
      const expected = {
        [`${folder}docs`]: 'text/html; charset=utf-8',
        [`${folder}docs/docs.css`]: 'text/css; charset=utf-8',
        ...Object.fromEntries(
          scripts.map((name) => [`${folder}docs/${name}`, 'text/javascript; charset=utf-8']),
        ),
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

  test('all resources are the page’s own: relative URLs, no inline code and no imports', async () => {
    const loaded = await load(`${stack.url}/docs`);
    for (const [url, { text }] of loaded) {
      assert.ok(url.startsWith(`${stack.url}/`), url);
      if (url.endsWith('.css')) {
        assert.doesNotMatch(text, /@import|@font-face/, url);
        for (const [, source = ''] of text.matchAll(/url\(\s*["']?([^)"']{0,20})/g))
          assert.match(source, /^data:/, url);
      }
      if (url.endsWith('/docs')) {
        for (const name of namesIn(text))
          assert.match(
            name,
            /^(?:docs\/|openapi\.json$|pages\/(?:page\.css|icon\.svg|fonts\/.*)$)/,
          );
        assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?:|\/\//);
      }
    }
  });

  test('a browser revalidates its copies, and gets 304 while they are current', async () => {
    for (const [url, { response, text }] of await load(`${stack.url}/docs`)) {
      assert.equal(response.headers.get('cache-control'), 'no-cache', url);
      const head = await fetch(url, { method: 'HEAD' });
      assert.equal(head.status, 200, url);
      assert.equal(Number(head.headers.get('content-length')), Buffer.byteLength(text), url);
      const etag = response.headers.get('etag');
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

  test('the example times in openapi.json are in the future where the product requires it', async () => {
    const { paths } = (await (await fetch(`${stack.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        {
          post: {
            requestBody: { content: { 'application/json': { example: { ExpiresAt: string } } } };
          };
        }
      >;
    };
    const days =
      (Date.parse(
        paths['/BotKeys_SetExpiration']?.post.requestBody.content['application/json'].example
          .ExpiresAt ?? '',
      ) -
        Date.now()) /
      86_400_000;
    assert.ok(days > 80 && days < 100, String(days));
  });

  test('the gateway serves no other files, and only for reading', async () => {
    for (const path of [
      'docs/x',
      'docs/docs.html',
      'docs/page.css',
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

  test('/docs/guides/ is served and linked from /docs if the site is built, and a 404 otherwise', async () => {
    const isBuilt = existsSync(join(root, 'site/dist/files.json'));
    for (const path of ['', prefix]) {
      const page = await (await fetch(`${stack.url}${path}/docs`)).text();
      assert.equal(page.includes('href="docs/guides/"'), isBuilt);
      const guides = await fetch(`${stack.url}${path}/docs/guides/`);
      assert.equal(guides.status, isBuilt ? 200 : 404);
      // The public URL has the prefix, whether the proxy strips it or not.
      assert.equal((await guides.text()).includes(`href="${prefix}/docs/guides/`), isBuilt);
    }
  });

  test('/docs/ redirects to /docs, also below a path prefix', async () => {
    for (const path of ['', prefix]) {
      const redirected = await fetch(`${stack.url}${path}/docs/`);
      assert.deepEqual([redirected.status, redirected.url], [200, `${stack.url}${path}/docs`]);
    }
  });

  test('a browser that disconnects causes no error', async () => {
    await new Promise<void>((resolve, reject) => {
      const request = get(`${stack.url}/openapi.json`, (response: IncomingMessage) =>
        response.once('data', () => {
          response.destroy();
          resolve();
        }),
      );
      request.once('error', reject);
    });
    await sleep(200);
    assert.doesNotMatch(stack.logOf('gateway'), /a request failed/);
    assert.equal((await fetch(`${stack.url}/openapi.json`)).status, 200);
  });

  describe('GET /', () => {
    const pathsOfHome = ['/', prefix, `${prefix}/`];
    const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

    for (const path of pathsOfHome) {
      test(`${path} answers a browser with a page whose links work`, async () => {
        const response = await fetch(`${stack.url}${path}`, {
          headers: { accept: browserAccepts },
        });
        const html = await response.text();
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
        assert.equal(
          response.headers.get('vary'),
          'accept, accept-language, accept-encoding, cookie',
        );
        assert.match(
          response.headers.get('content-security-policy') ?? '',
          /^default-src 'none'; .*frame-ancestors 'none'/,
        );
        assert.doesNotMatch(html, /<script|<style|\sstyle=|\son\w+=/);
        const links = Array.from(html.matchAll(/href="(\/[^"]*)"/g), ([, link = '']) => link);
        // The console is linked if it is built.
        const console = existsSync(join(root, 'console/dist/files.json')) ? ['console'] : [];
        assert.deepEqual(
          links.sort(),
          [
            ...console,
            'docs',
            'login',
            'openapi.json',
            links.find((link) => link.endsWith('.woff2'))?.slice(prefix.length + 1),
            'pages/icon.svg',
            'pages/page.css',
          ].map((name) => `${prefix}/${name}`),
        );
        for (const link of links)
          assert.equal((await fetch(new URL(link, stack.url))).status, 200, link);
        const head = await fetch(`${stack.url}${path}`, {
          method: 'HEAD',
          headers: { accept: browserAccepts },
        });
        assert.deepEqual(
          [head.status, Number(head.headers.get('content-length')), await head.text()],
          [200, Buffer.byteLength(html), ''],
        );
      });

      test(`${path} answers a program with a 404 that names the reference`, async () => {
        for (const accept of ['*/*', 'application/json']) {
          const response = await fetch(`${stack.url}${path}`, { headers: { accept } });
          const { Code, Message } = (await response.json()) as Record<string, string>;
          assert.deepEqual([response.status, Code], [404, 'not_found'], accept);
          assert.equal(
            Message,
            `there is no such operation; https://example.com${prefix}/docs lists them all`,
          );
        }
      });
    }

    test('only reads are allowed, and a browser learns that other paths have no page', async () => {
      const posted = await fetch(`${stack.url}/`, {
        method: 'POST',
        headers: { accept: browserAccepts },
      });
      assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
      for (const path of ['x', 'iamx', 'iam/x', 'iam/iam/']) {
        const response = await fetch(`${stack.url}/${path}`, {
          headers: { accept: browserAccepts },
        });
        assert.deepEqual(
          [response.status, response.headers.get('content-type')],
          [404, 'text/html; charset=utf-8'],
          path,
        );
        assert.match(await response.text(), /This page does not exist/);
      }
    });
  });
});
