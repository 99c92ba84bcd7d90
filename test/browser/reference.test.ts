import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '@bailiwick/contract';
import type { Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, signUp } from '../support/people.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';

// The API reference, below a path prefix.

describe('the API reference', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  const problems: string[] = [];
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

  /**
   * Opens the reference. Script errors, policy violations and requests to other hosts count as
   * problems.
   */
  async function open(hash = ''): Promise<Page> {
    const page = await browser.newPage();
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on(
      'console',
      (message) =>
        message.text().includes('Content Security Policy') && problems.push(message.text()),
    );
    page.on(
      'request',
      (request) =>
        request.url().startsWith('data:') ||
        request.url().startsWith(`${base}/`) ||
        problems.push(request.url()),
    );
    await page.goto(`${base}/docs${hash}`);
    await page.getByRole('heading', { level: 2 }).waitFor();
    return page;
  }

  test('it is accessible in light and dark, and fits a screen of 320 px', async () => {
    const page = await open();
    await assertAccessible(page);
    await photograph(page, 'reference');
    for (const id of [
      'Sso_SaveProvider',
      'Account_Login',
      'Audit_Export',
      'Sso_Login',
      'Access_Plan',
    ]) {
      await page.goto(`${base}/docs#${id}`);
      await page.getByRole('heading', { level: 2, name: id, exact: true }).waitFor();
      await page.evaluate(
        `for (const details of document.querySelectorAll('main details')) details.open = true`,
      );
      await assertAccessible(page);
    }
    await photograph(page, 'reference-operation');
    assert.deepEqual(problems, []);
  });

  test('it shows every operation, and finds one by a part of its name', async () => {
    const page = await open();
    const listed = await page.locator('nav a').allTextContents();
    for (const { name, public: routed } of operations.values())
      assert.equal(listed.includes(name), routed, name);
    for (const name of listed) {
      await page.evaluate(`location.hash = ${JSON.stringify(name)}`);
      await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
    }
    await page.getByLabel('Find an operation').fill('saveprov');
    assert.deepEqual(await page.locator('nav a:visible').allTextContents(), ['Sso_SaveProvider']);
    await page.getByRole('link', { name: 'Sso_SaveProvider' }).click();
    await page.getByRole('heading', { level: 2, name: 'Sso_SaveProvider' }).waitFor();
    // The guides had a reference of their own, with fragments in lower case.
    await page.evaluate(`location.hash = 'groups_save'`);
    await page.getByRole('heading', { level: 2, name: 'Groups_Save', exact: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('a call from it reaches the product with the entered token, and shows the answer', async () => {
    const { token } = await signUp(stack);
    await createTenant(stack, token, '<b>Acme</b>');
    const page = await open('#Tenants_ListMine');
    const send = () => page.getByRole('button', { name: 'Send' }).click();
    await send();
    await page.getByText('401 Unauthorized', { exact: true }).waitFor();
    await page.getByLabel('Session token or key').fill(token);
    await page.getByLabel('Request body').fill('{}');
    await send();
    await page.getByText('200 OK', { exact: true }).waitFor();
    assert.match(
      (await page.locator('main [role=status] + pre').textContent()) ?? '',
      /"Name": "<b>Acme<\/b>"/,
    );
    await page.getByLabel('Request body').fill('{');
    await send();
    await page.getByText('400 Bad Request', { exact: true }).waitFor();
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0);
    assert.deepEqual(problems, []);
  });
});
