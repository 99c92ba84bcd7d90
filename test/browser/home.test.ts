import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { heading } from './sign-in.ts';

// The home page, below a path prefix.

describe('the home page', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    stack = await startStack('one process', { BAILIWICK_PUBLIC_URL: base }, { ports });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  test('it is accessible in light and dark, fits a screen of 320 px, and links to sign-in and the reference', async () => {
    const problems: string[] = [];
    const page = await browser.newPage();
    page.on(
      'console',
      (message) =>
        message.text().includes('Content Security Policy') && problems.push(message.text()),
    );
    page.on(
      'request',
      (request) =>
        request.url().startsWith('data:') ||
        request.url().startsWith(base) ||
        problems.push(request.url()),
    );
    await page.goto(base);
    assert.equal(await heading(page, 'Bailiwick'), 'Bailiwick');
    await assertAccessible(page);
    await photograph(page, 'home');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.locator('#entry').waitFor();
    assert.equal(page.url(), `${base}/login`);
    await page.goto(`${base}/`);
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.waitForURL(`${base}/docs`);
    assert.deepEqual(problems, []);
  });
});
