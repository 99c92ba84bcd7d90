import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { collectPages } from '@bailiwick/site/pages.ts';
import { type SiteServer, serveSite } from '@bailiwick/site/serve.ts';
import { buildSite } from '@bailiwick/site/site.ts';
import type { Page } from 'playwright-core';
import { assertAccessible, type Browser, openBrowser, photograph } from '../browser/browser.ts';
import { withoutChromium } from '../browser/chromium.ts';
import { openSearch, type SearchResult } from './search.ts';

// The site of `npm run docs`: its content, its search, and its behaviour in a browser.

const prefix = '/iam';
const base = '/docs/guides/';
const folder = mkdtempSync(join(tmpdir(), 'bailiwick-site-test-'));
const out = join(folder, 'dist');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

let search: (query: string) => SearchResult[];
before(async () => {
  await buildSite({ out });
  search = await openSearch(out);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The addresses of what search finds first, below the site. */
const find = (query: string, count: number) =>
  search(query)
    .slice(0, count)
    .map(({ id }) => id.replace(base, ''));

test('every document of docs/ and of the project is a page that search finds by its title', () => {
  const documents = [
    ...globSync('docs/**/*.md', { cwd: root }),
    ...globSync('{README,ARCHITECTURE,CHANGELOG,CONTRIBUTING,SECURITY}.md', { cwd: root }),
  ];
  const pages = collectPages(root);
  for (const document of documents) {
    const page = pages.find(({ source }) => source === document);
    assert.ok(page, document);
    const html = page.path.replace('.md', '.html');
    const title = /<h1[^>]*>([^<]+?) *</.exec(readFileSync(join(out, html), 'utf8'))?.[1] ?? '';
    const address = html.replace(/(^|\/)index\.html$/, '$1');
    assert.ok(
      find(title, 10).some((result) => result.split('#')[0] === address),
      `${document}: "${title}" found ${find(title, 10).join(', ')}`,
    );
  }
});

test('the site serves the schema of rights files', () => {
  const name = 'rights.schema.json';
  assert.equal(readFileSync(join(out, name), 'utf8'), read(join('packages/cli', name)));
});

test('the name of an operation in a document leads to its place in the API reference', () => {
  const { paths } = JSON.parse(read('gateway/openapi.json')) as { paths: Record<string, object> };
  const html = globSync('**/*.html', { cwd: out }).map((file) =>
    readFileSync(join(out, file), 'utf8'),
  );
  const linked = new Set(
    html.flatMap((text) =>
      Array.from(
        text.matchAll(/<a href="\/docs\/guides\/\.\.#(\w+)" target="_self"><code>/g),
        ([, name = '']) => name,
      ),
    ),
  );
  for (const name of linked) assert.ok(Object.hasOwn(paths, `/${name}`), name);
  assert.ok(linked.size > 100, String(linked.size));
});

test('search for the name of a setting finds its row', () => {
  const settings = new Set(
    Array.from(
      read('docs/configuration.md').matchAll(/^\| `([A-Z_0-9]+)`/gm),
      ([, name = '']) => name,
    ),
  );
  assert.ok(settings.size > 60, String(settings.size));
  for (const name of settings)
    assert.ok(
      find(name, 5).includes(`configuration.html#${name.toLowerCase()}`),
      `${name} found ${find(name, 5).join(', ')}`,
    );
});

test('search for an event or a permission finds its row', () => {
  assert.deepEqual(find('group.created', 1), ['events.html#group.created']);
  assert.deepEqual(find('iam.groups.write', 1), ['permissions.html#iam.groups.write']);
});

test('no page leads out of the site, but for links to other hosts that documents have', () => {
  for (const file of globSync('**/*.{html,css}', { cwd: out })) {
    const text = readFileSync(join(out, file), 'utf8');
    assert.doesNotMatch(text, /<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//, file);
    assert.doesNotMatch(text, /@import|url\(\s*["']?(?:https?:)?\/\//, file);
  }
});

test('a broken link fails the build, and the site that was there stays', async () => {
  // A repository with the least that a site is made of.
  const place = join(folder, 'repository');
  const files = {
    'README.md': '# Bailiwick\n\n## Run\n\nRun it.\n',
    'docs/x.md': '# X\n\n[y](/y.md)\n',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), text);
  }
  const before = readFileSync(join(out, 'files.json'), 'utf8');
  await assert.rejects(buildSite({ out, root: place }), /dead link/);
  assert.equal(readFileSync(join(out, 'files.json'), 'utf8'), before);
});

test('a folder that holds something else than a site is not replaced', async () => {
  await assert.rejects(buildSite({ out: join(root, 'docs') }), /holds no built site/);
});

describe('the site in a browser, below a path prefix', { skip: withoutChromium }, () => {
  let server: SiteServer;
  let browser: Browser;
  const problems: string[] = [];
  before(async () => {
    server = await serveSite(out, { prefix });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Opens a page. Errors, refusals of the policy and requests outside of the site are problems. */
  async function open(path: string): Promise<Page> {
    const page = await browser.newPage();
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith('data:') && !url.startsWith(server.url)) problems.push(url);
    });
    await page.goto(server.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  test('pages are accessible in light and dark, and fit a narrow screen', async () => {
    for (const path of ['', 'api.html', 'permissions.html', 'webhooks.html', 'start.html']) {
      const page = await open(path);
      await assertAccessible(page);
      await photograph(page, `site-${basename(path, '.html') || 'home'}`);
      await page.close();
    }
    assert.deepEqual(problems, []);
  });

  test('search finds a setting, and its result leads to the row', async () => {
    const page = await open('');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('BAILIWICK_TRUSTED_PROXIES');
    await page.getByRole('option').first().waitFor();
    await photograph(page, 'site-search');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Configuration' }).waitFor();
    assert.equal(page.url(), `${server.url}configuration.html#bailiwick_trusted_proxies`);
    assert.deepEqual(problems, []);
  });

  test('the policy stops neither the switch to dark nor the way through the pages', async () => {
    const page = await open('');
    await page.getByRole('switch', { name: /dark/i }).first().click();
    assert.equal(await page.evaluate('document.documentElement.classList.contains("dark")'), true);
    await page.getByRole('link', { name: 'Get started' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.classList.contains("dark")'), true);
    const links = await page.getByRole('link', { name: 'API reference' }).all();
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
    const targets = addresses.map((href) => new URL(href ?? '', page.url()).href);
    // In the bar at the top and in the sidebar.
    const above = new URL('..', server.url).href;
    assert.deepEqual(targets, [above, above]);
    assert.deepEqual(problems, []);
  });
});
