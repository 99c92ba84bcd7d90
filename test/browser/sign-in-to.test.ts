import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask, createApp, relyOn } from '../sso/issuer/stage.ts';
import { bodyOf } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { pngOf } from '../support/images.ts';
import { createTenant, signUp } from '../support/people.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { continueWith, heading } from './sign-in.ts';

// The card of the sign-in page says what a user signs in to, at each of its steps.

describe('the sign-in card of an app', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let user: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
    browser = await openBrowser();
    user = await signUp(stack);
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  async function openFor(fields: object, token = stack.platformKey) {
    const app = await createApp(
      stack,
      { RedirectURIs: ['https://app.example.test/callback'], ...fields },
      token,
    );
    const page = await browser.newPage();
    await page.goto((await ask(await relyOn(stack, app))).url.href);
    return page;
  }

  test('has the name of the app and the looks of its tenant, at each step', async () => {
    const Tenant = await createTenant(stack, user.token);
    const Logo = pngOf([28, 79, 194]).toString('base64');
    const Branding = { Name: 'Acme Inc', Logo };
    bodyOf(await stack.call('Tenants_Update', { Tenant: { ID: Tenant, Branding } }, user.token));
    const page = await openFor({ Tenant, Name: 'Acme Wiki' }, user.token);
    await page.getByLabel('E-mail address').waitFor();
    assert.equal(await heading(page, 'Sign in to Acme Wiki'), 'Sign in to Acme Wiki');
    assert.match(await page.title(), /^Sign in to Acme Wiki · Acme Inc/);
    assert.equal(await page.evaluate(`document.querySelector('#brand img').naturalWidth`), 160);
    await assertAccessible(page);
    await photograph(page, 'sign-in-to-tenant');
    await continueWith(page, user.email);
    await page.getByLabel('Password').waitFor();
    await heading(page, 'Sign in to Acme Wiki');
    assert.match(await page.title(), /^Sign in to Acme Wiki · Acme Inc/);
    await photograph(page, 'sign-in-to-tenant-password');
    await page.context().close();
  });

  test('has the looks of the service for an app without a tenant', async () => {
    const page = await openFor({ Name: 'Payroll' });
    await page.getByLabel('E-mail address').waitFor();
    await heading(page, 'Sign in to Payroll');
    assert.equal(await page.title(), 'Sign in to Payroll · Bailiwick');
    await photograph(page, 'sign-in-to-platform');
    await page.context().close();
  });

  test('takes no markup from the name of an app, and wraps a long one', async () => {
    const Name = `<img src=x onerror=alert(1)>${'W'.repeat(90)}`;
    const page = await openFor({ Name });
    await page.getByLabel('E-mail address').waitFor();
    assert.equal(
      await page.getByRole('heading', { level: 1 }).textContent(),
      `Sign in to ${Name.slice(0, 63)}…`,
    );
    assert.equal(await page.locator('main img').count(), 0);
    await page.setViewportSize({ width: 320, height: 720 });
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 320'));
    await assertAccessible(page);
    await photograph(page, 'sign-in-to-hostile');
    await page.context().close();
  });

  test('wraps long names of other scripts', async () => {
    for (const [script, Name] of [
      ['cjk', '認証'.repeat(30)],
      ['rtl', 'שלום'.repeat(15)],
    ] as const) {
      const page = await openFor({ Name });
      await page.getByLabel('E-mail address').waitFor();
      const title = await page.getByRole('heading', { level: 1 }).textContent();
      assert.ok(title?.includes(Name), title ?? '');
      await page.setViewportSize({ width: 320, height: 720 });
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 320'), script);
      await photograph(page, `sign-in-to-${script}`);
      await page.context().close();
    }
  });

  test('names nothing for a request that was never made', async () => {
    const page = await browser.newPage();
    await page.goto(`${stack.url}/login?return_to=/oauth/interaction/${'a'.repeat(21)}`);
    await page.getByLabel('E-mail address').waitFor();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Sign in');
    await page.context().close();
  });
});
