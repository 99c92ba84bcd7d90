import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { shippedLocales } from '@bailiwick/texts';
import type { Page } from 'playwright-core';
import { eventually, type Stack } from '../support/harness.ts';
import { password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { consoleStack, newConsolePage, openSignedIn } from './console-page.ts';

// The typeface of pages and console, as a browser loads it.

describe('the typeface', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  before(async () => {
    [stack, browser] = await Promise.all([consoleStack(), openBrowser()]);
  });
  after(() => browser?.close());

  /** The names of the font files that a page has loaded. */
  const filesOf = async (page: Page): Promise<string[]> => {
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    const names = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.woff2'))`,
    );
    return names.map((name) => name.replace(/.*\/|-[\da-f]{10}\.woff2$/g, ''));
  };
  const isLoaded = (page: Page) =>
    page.evaluate<boolean>(
      `[...document.fonts].some(({ family, status }) => /^"?Hanken Grotesk"?$/.test(family) && status === 'loaded')`,
    );

  test('the console takes the file of the sign-in page out of the browser’s cache', async () => {
    const user = await signUp(stack);
    const problems: string[] = [];
    const page = await newConsolePage(browser, stack.url, problems);
    await openSignedIn(page, `${stack.url}/account`, user.email, password);
    assert.ok(await isLoaded(page));
    assert.deepEqual(await filesOf(page), ['hanken-grotesk-latin']);
    const bytes = await page.evaluate<number[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.woff2')).map(({ transferSize }) => transferSize)`,
    );
    assert.deepEqual(bytes, [0]);
    assert.deepEqual(problems, []);
  });

  test('a page with letters of Latin Extended-A loads the second file too', async () => {
    const page = await browser.newPage();
    await page.goto(`${stack.url}/login`);
    await page.locator('#entry').waitFor();
    assert.deepEqual(await filesOf(page), ['hanken-grotesk-latin']);
    await page.evaluate(`document.querySelector('h1').textContent = 'Łódź, Dvořák'`);
    assert.deepEqual((await filesOf(page)).sort(), [
      'hanken-grotesk-latin',
      'hanken-grotesk-latin-ext',
    ]);
    await page.context().close();
  });

  test('text stays in place when the typeface arrives', async () => {
    for (const locale of shippedLocales) {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      let send = () => {};
      const mayCome = new Promise<void>((resolve) => {
        send = resolve;
      });
      await page.route('**/*.woff2', async (route) => {
        await mayCome;
        await route.continue();
      });
      await page.goto(`${stack.url}/login?ui_locale=${locale}`, { waitUntil: 'commit' });
      await page.locator('#entry').waitFor();
      const places = `[...document.querySelectorAll('main > *, #entry > *, footer')].map((one) => {
        const { top, height } = one.getBoundingClientRect();
        return [Math.round(top), Math.round(height)];
      })`;
      assert.ok(!(await isLoaded(page)), locale);
      const before = await page.evaluate(places);
      send();
      // The policy of the page forbids what waitForFunction does.
      await eventually(
        `the typeface in ${locale}`,
        async () => (await isLoaded(page)) || undefined,
      );
      assert.deepEqual(await page.evaluate(places), before, locale);
      await page.context().close();
    }
  });

  test('its files are kept for ever, and have no other source', async () => {
    const html = await (await fetch(`${stack.url}/login`)).text();
    const [, file = ''] = /href="(pages\/fonts\/[^"]+)"/.exec(html) ?? [];
    const answer = await fetch(`${stack.url}/${file}`);
    const etag = answer.headers.get('etag') ?? '';
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'font/woff2');
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    const again = await fetch(`${stack.url}/${file}`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal((await fetch(`${stack.url}/pages/fonts/OFL.txt`)).status, 404);
    for (const path of ['/login', '/docs', '/console', '/portal', '/', '/verify']) {
      const page = await fetch(stack.url + path, { headers: { accept: 'text/html' } });
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /; font-src 'self'(;|$)/, path);
    }
  });
});
