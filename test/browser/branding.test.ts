import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { bodyOf, recordIn } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { pngOf } from '../support/images.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, mailTo, newAddress, password, signUp } from '../support/people.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { signIn } from './sign-in.ts';

type Look = { text: string; logo: [number, number]; button: string; links: string[] };

// Pages with the brand of the installation and of a tenant, below a path prefix.

describe('branding', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let tenant: { ID: string; Slug: string };
  let owner: Awaited<ReturnType<typeof signUp>>;
  const problems: string[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-brand-'));
  const app = createServer((_request, response) => response.end('arrived'));
  before(async () => {
    const file = path.join(folder, 'logo.png');
    writeFileSync(file, pngOf([30, 90, 60], { width: 120, height: 40 }));
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    const appOrigin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    const environment = {
      BAILIWICK_PUBLIC_URL: base,
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_ALLOWED_ORIGINS: appOrigin,
      BAILIWICK_BRAND_NAME: 'Example ID',
      BAILIWICK_BRAND_LOGO_FILE: file,
      BAILIWICK_BRAND_COLOR: '#0b6b3a',
      BAILIWICK_TERMS_URL: 'https://example.com/terms',
      BAILIWICK_PRIVACY_URL: 'https://example.com/privacy',
    };
    await buildConsole(assert.fail);
    [stack, browser] = await Promise.all([
      startStack('one process', environment, { ports }),
      openBrowser(),
    ]);
    owner = await signUp(stack);
    const ID = await createTenant(stack, owner.token);
    const Branding = {
      Name: 'Acme Rockets',
      AccentColor: '#8a1538',
      TermsURL: 'https://acme.example/terms',
      Logo: Buffer.from(pngOf([138, 21, 56])).toString('base64'),
    };
    const Settings = { AppURL: `${appOrigin}/acme` };
    const change = { Tenant: { ID, Branding, Settings } };
    const changed = await stack.call('Tenants_Update', change, owner.token);
    tenant = recordIn(changed, 'Tenant') as typeof tenant;
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
    app.close();
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(problems, []);
  });

  /** Opens a page. Violations of its policy and requests to other sites are problems. */
  async function open(url: string): Promise<Page> {
    const page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' && message.text().includes('Content Security Policy'))
        problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`)) problems.push(request.url());
    });
    page.on('response', (response) => {
      if (response.status() >= 404) problems.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(url);
    await page.locator('#entry').waitFor();
    return page;
  }
  /** The visible brand, and the size of the logo that has arrived. */
  const lookOf = (page: Page) =>
    page.evaluate<Look>(`({
      text: document.querySelector('#brand')?.textContent.trim(),
      logo: [document.querySelector('#brand img').naturalWidth, document.querySelector('#brand img').height],
      button: getComputedStyle(document.querySelector('#entry [type=submit]')).backgroundColor,
      links: [...document.querySelectorAll('#brand-links a')].map(({ href }) => href),
    })`);
  /** The sum of layout shifts since the first paint. */
  const shiftOf = (page: Page) =>
    page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) sum += value;
      }).observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve(sum), 200);
    })`);

  test('the sign-in page has the brand of the installation, and of the tenant that its address names', async () => {
    const page = await open(`${base}/login?tenant=no-such-tenant`);
    assert.equal(await page.title(), 'Sign in · Example ID');
    assert.deepEqual(await lookOf(page), {
      text: 'Example ID',
      logo: [120, 40],
      button: 'rgb(11, 107, 58)',
      links: ['https://example.com/terms', 'https://example.com/privacy'],
    });
    await assertAccessible(page);
    await photograph(page, 'branding-installation');
    const branded = await open(`${base}/login?tenant=${tenant.Slug}`);
    assert.equal(await branded.title(), 'Sign in · Acme Rockets · Example ID');
    assert.deepEqual(await lookOf(branded), {
      text: 'Acme Rockets · Example ID',
      logo: [160, 48],
      button: 'rgb(138, 21, 56)',
      links: ['https://acme.example/terms', 'https://example.com/privacy'],
    });
    await assertAccessible(branded);
    await photograph(branded, 'branding-tenant');
  });

  test('the logo moves nothing when it arrives', async () => {
    const plain = await browser.newPage();
    await plain.goto(`${base}/login?tenant=${tenant.Slug}`);
    await plain.locator('#entry').waitFor();
    const late = await browser.newPage();
    await late.route('**/logo*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await late.goto(`${base}/login?tenant=${tenant.Slug}`);
    await late.locator('#entry').waitFor();
    await late.waitForFunction(`document.querySelector('#brand img').complete`);
    assert.equal(await shiftOf(late), await shiftOf(plain));
  });

  test('console and portal have the brand of the installation, and the console the tenant’s logo', async () => {
    const page = await open(`${base}/login?return_to=/console/t/${tenant.Slug}/members`);
    await signIn(page, owner.email, password);
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await page.locator('header img').nth(1).waitFor();
    const banner = `[...document.querySelectorAll('header img')].map(({ naturalWidth, height }) => [naturalWidth, height])`;
    await page.waitForFunction(
      `[...document.querySelectorAll('header img')].every(({ complete }) => complete)`,
    );
    assert.deepEqual(await page.evaluate(banner), [
      [120, 24],
      [160, 24],
    ]);
    assert.match(await page.locator('header').first().innerText(), /Example ID/);
    assert.match(await page.title(), /^Members · .+ · Example ID$/);
    await assertAccessible(page);
    await photograph(page, 'branding-console');
    await page.goto(`${base}/portal`);
    await page.getByText('Example ID').waitFor();
    assert.match(await page.title(), /· Example ID$/);
    await assertAccessible(page);
    await photograph(page, 'branding-portal');
  });

  test('the page of an invitation has the brand of its tenant', async () => {
    const email = newAddress('guest');
    bodyOf(
      await stack.call(
        'TenantInvitations_Create',
        { Tenant: tenant.ID, Email: email },
        owner.token,
      ),
    );
    const link = (await mailTo(stack, email)).Links.find((one) => one.includes('/invitation'));
    const page = await open(link ?? '');
    await page.getByText('invites you').waitFor();
    // No name changes the order of the words around it.
    await page.locator('#offer bdi').nth(2).waitFor();
    const { text, logo } = await lookOf(page);
    assert.deepEqual([text, logo], ['Acme Rockets · Example ID', [160, 48]]);
    await assertAccessible(page);
    await photograph(page, 'branding-invitation');
  });

  test('an invited user who accepts goes on to the application of the tenant', async () => {
    const email = newAddress('guest');
    const invitation = { Tenant: tenant.ID, Email: email };
    bodyOf(await stack.call('TenantInvitations_Create', invitation, owner.token));
    const link = (await mailTo(stack, email)).Links.find((one) => one.includes('/invitation'));
    const page = await browser.newPage();
    await page.goto(link ?? '');
    await page.getByLabel('No, I create one').check();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(/\/acme\?code=bwkc_/);
    await page.context().close();
  });

  test('a user goes on to the application of the tenant', async () => {
    const page = await browser.newPage();
    await page.goto(`${base}/login?tenant=${tenant.Slug}`);
    await signIn(page, owner.email, password);
    await page.waitForURL(/\/acme\?code=bwkc_/);
    assert.equal(await page.textContent('body'), 'arrived');
  });
});
