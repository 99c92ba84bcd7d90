import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { password, signUp } from '../support/people.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { heading, hears, signIn } from './sign-in.ts';

// Return addresses of the sign-in page: forged ones have no effect.

const evil = '<img src=x onerror=alert(1)>';

// Each of them leads to another site or runs as a script, if it is trusted or parsed carelessly.
const hostile = [
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '"><img src=x onerror=alert(1)>',
  '///evil.example',
  '\\\\evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/docs\\..\\..\\evil',
  'https:evil.example',
  'evil.example',
  '@evil.example',
  '.evil.example',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '',
];

describe('the return address of the sign-in page', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let email: string;
  const problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    stack = await startStack(
      'one process',
      { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' },
      { ports },
    );
    browser = await openBrowser();
    ({ email } = await signUp(stack));
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  /** A tab that reports every dialog and every request to another site as a problem. */
  async function newPage(): Promise<Page> {
    const page = await browser.newPage();
    page.on('dialog', (dialog) => {
      problems.push(dialog.message());
      return dialog.dismiss();
    });
    page.on(
      'request',
      (request) => request.url().startsWith(`${base}/`) || problems.push(request.url()),
    );
    return page;
  }
  const addressFor = (target: string) => `${base}/login?return_to=${encodeURIComponent(target)}`;

  test('return_to leads on below the public URL, immediately after a sign-in and on a click of a signed-in user', async () => {
    for (const target of [
      '/pages/page.css',
      '/pages/page.css?a=1&b=%2F%2Fevil.example#part',
      '/docs/../reset/../pages/page.css',
    ]) {
      const onward = new URL(`.${target}`, `${base}/`).href;
      const page = await newPage();
      await page.goto(addressFor(target));
      await signIn(page, email, password);
      await page.waitForURL(onward);
      await page.goto(addressFor(target));
      await heading(page, 'You are signed in');
      if (target === '/pages/page.css') {
        await assertAccessible(page);
        await photograph(page, 'login-onward');
      }
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(onward);
      await page.context().close();
    }
    assert.deepEqual(problems, []);
  });

  test('return_to leads nowhere else, neither immediately nor on a click', async () => {
    const page = await newPage();
    const stays = async (target: string) => {
      await heading(page, 'You are signed in');
      assert.equal(page.url(), addressFor(target));
      // The links are those of the signed-in user's own pages.
      for (const link of await page.locator('main').getByRole('link').all())
        assert.match((await link.getAttribute('href')) ?? '', /^[a-z]+$/, target);
      const goOn = page.getByRole('button', { name: 'Continue' });
      assert.equal(await goOn.count(), /^https?:/.test(target) ? 1 : 0, target);
      if ((await goOn.count()) === 0) return;
      await goOn.click();
      await hears(page, /address to return to is not allowed/);
      assert.equal(page.url(), addressFor(target));
    };
    for (const target of hostile.slice(0, 6)) {
      await page.goto(addressFor(target));
      await signIn(page, email, password);
      await stays(target);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await hears(page, /signed out/);
    }
    await signIn(page, email, password);
    for (const target of hostile) {
      await heading(page, 'You are signed in');
      await page.goto(addressFor(target));
      await stays(target);
    }
    assert.deepEqual(problems, []);
  });

  test('no text on a page comes from its address', async () => {
    const page = await newPage();
    const inside = async (address: string, selector: string) => {
      await page.goto('about:blank');
      await page.goto(`${base}${address}`);
      await page.locator(selector).waitFor();
      // Wait for the requests after the first answer.
      await page.waitForLoadState('networkidle');
      return page.locator('html').innerHTML();
    };
    const names = [
      'error',
      'error_description',
      'message',
      'title',
      'email',
      'Email',
      'return_to',
      'token',
    ];
    const query = names.map((name) => `${name}=${encodeURIComponent(`X ${evil}`)}`).join('&');
    for (const [path, selector] of [
      ['/login', '#entry'],
      ['/verify', '.failed'],
      ['/reset', '.failed'],
      ['/invitation', '.failed'],
    ] as const) {
      const plain = await inside(path, selector);
      assert.equal(await inside(`${path}?${query}`, selector), plain, path);
      assert.equal(
        await inside(`${path}?${query}#${encodeURIComponent(evil)}`, selector),
        plain,
        path,
      );
      assert.equal(await inside(`${path}#${evil}`, selector), plain, path);
    }
    // The page keeps a token, but never shows it.
    const html = await inside(`/verify#token=${encodeURIComponent(evil)}`, 'form');
    assert.ok(!html.includes('onerror'));
    assert.deepEqual(problems, []);
  });

  test('a failed single sign-on shows the next step, and leads back to the sign-in page', async () => {
    const page = await newPage();
    const query = `error=${encodeURIComponent(evil)}&error_description=${encodeURIComponent(`X ${evil}`)}&return_to=${encodeURIComponent(evil)}`;
    const answer = await page.goto(
      `${base}/auth/tnt_01hzzzzzzzzzzzzzzzzzzzzzzz/${encodeURIComponent(evil)}/callback?${query}`,
    );
    assert.ok([400, 403, 500].includes(answer?.status() ?? 0));
    const text = await page.locator('main').innerText();
    assert.ok(!text.includes('X <') && !(await page.content()).includes('onerror'));
    const requestId = answer?.headers()['x-request-id'] ?? 'none';
    assert.ok(text.includes(requestId), text);
    await assertAccessible(page);
    await photograph(page, 'error');
    await page.getByRole('link', { name: 'Back to the sign-in page' }).click();
    await page.getByLabel('E-mail address').waitFor();
    assert.equal(page.url(), `${base}/login`);
    assert.deepEqual(problems, []);
  });

  test('without JavaScript the page says that it needs it', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${base}/login`);
    assert.match(
      await page.locator('main').innerText(),
      /^Bailiwick\s+Sign in\s+This page needs JavaScript\. Allow it for this page/,
    );
    await photograph(page, 'login-noscript');
  });
});
