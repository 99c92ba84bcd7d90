import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { consoleSuite } from './console-page.ts';

// People get a page at an address that has none, and programs get JSON. Pages without scripts say so.

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('an address without a page', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  async function get(path: string, accept: string, init: RequestInit = {}) {
    const headers = { accept, 'accept-language': 'de' };
    const response = await fetch(`${stack().url}${path}`, { ...init, headers });
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, type, text: await response.text() };
  }

  test('is a page for a browser, in its language, that leads on', async () => {
    for (const path of ['/nowhere', '/a/b/c', '/console/assets/gone.js']) {
      const { status, type, text } = await get(path, browser);
      assert.equal(status, 404, path);
      assert.match(type, /^text\/html/);
      assert.match(text, /<html lang="de">/);
      assert.match(text, /Diese Seite gibt es nicht/);
    }
    const { status, text } = await get('/Groups_Save', browser);
    assert.equal(status, 405);
    assert.match(text, /Diese Adresse ist für Programme/);
    const page = await newPage({ locale: 'en-GB' });
    await page.goto(`${stack().url}/a/b/nowhere`);
    await page.getByRole('heading', { level: 1, name: 'This page does not exist' }).waitFor();
    await photograph(page, 'missing');
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.waitForURL(`${stack().url}/`);
    await page.goto(`${stack().url}/nowhere`);
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.waitForURL(`${stack().url}/`);
  });

  test('is an ErrorResponse for a program', async () => {
    for (const [path, accept, init, expected] of [
      ['/nowhere', '*/*', {}, 404],
      ['/nowhere', 'application/json', {}, 404],
      // The default of Java's HttpURLConnection.
      ['/nowhere', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', {}, 404],
      ['/nowhere', browser, { method: 'POST', body: '{}' }, 404],
      ['/Groups_Save', '*/*', {}, 405],
    ] as const) {
      const { status, type, text } = await get(path, accept, init);
      assert.equal(status, expected, `${path} ${accept}`);
      assert.match(type, /^application\/json/);
      assert.match(text, /"Reason":"(NO_ROUTE|WRONG_METHOD)"/);
    }
    const scim = await get('/scim/v2/nowhere/Users', browser);
    assert.match(scim.type, /^application\/scim\+json/);
  });

  test('pages whose scripts are switched off say so, in the reader’s language', async () => {
    const page = await newPage({ javaScriptEnabled: false, locale: 'de-DE' });
    for (const path of ['/console', '/account', '/portal', '/login', '/reset', '/docs']) {
      await page.goto(`${stack().url}${path}`);
      const text = await page.locator('body').innerText();
      assert.match(text, /JavaScript/, path);
      if (path !== '/docs') assert.match(text, /benötigt JavaScript/, path);
    }
  });
});
