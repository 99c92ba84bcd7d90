import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newName } from '../support/domains.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleStack, newConsolePage, openSignedIn, saveBar } from './console-page.ts';

// The directory of a tenant in the console.

describe('the directory in the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let problems: string[] = [];
  before(async () => {
    stack = await consoleStack();
    base = stack.url;
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });

  test('an administrator connects a directory, whose key provisions a person who is then listed', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Acme');
    const { body } = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const { Slug } = body['Tenant'] as { Slug: string };
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${base}/console/t/${Slug}/scim`, owner.email, password);
    await page.getByText('The directory has added no people yet').waitFor();
    const address = `${base}/scim/v2/${tenant}`;
    await page.getByText(address).waitFor();
    await assertGood(page, 'scim-empty');
    await page.getByRole('button', { name: 'Connect a directory' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Connect a directory' }).click();
    await dialog.getByText('This is needed.').waitFor();
    await dialog.getByLabel('Name of the directory').fill('Entra ID');
    await assertGood(page, 'scim-connect');
    await dialog.getByRole('button', { name: 'Connect a directory' }).click();
    await page.getByText('Copy it now').waitFor();
    const key = await dialog.getByLabel('Secret', { exact: true }).innerText();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();

    const domain = newName();
    await rowsOf(
      stack,
      `insert into sso.domain (tenant, id, name, status, capture, created_at, updated_at) values ($1, 'dom_1', $2, 'verified', 'off', now(), now())`,
      [tenant, domain],
    );
    const { status } = await fetch(`${address}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ userName: `ann@${domain}`, displayName: 'Ann Other', password: 'x' }),
    });
    assert.equal(status, 201);
    const Group = { Tenant: tenant, Path: 'company' };
    assert.equal((await stack.call('Groups_Save', { Group }, owner.token)).status, 200);
    const groups = page.getByRole('region', { name: 'Groups from the directory' });
    await groups.getByLabel('Parent group').fill('company');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings were saved.').waitFor();
    const changed = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const { Settings } = changed.body['Tenant'] as { Settings: { ScimGroupParent: string } };
    assert.equal(Settings.ScimGroupParent, 'company');
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'Ann Other' }).getByText('active').waitFor();
    const notices = page.getByRole('table', { name: 'Not stored' });
    await notices.getByRole('row').filter({ hasText: 'password' }).waitFor();
    await assertGood(page, 'scim-people');
  });

  test('a repetition after a failed key goes on with the bot that was made', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Acme');
    const { body } = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const { Slug } = body['Tenant'] as { Slug: string };
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${base}/console/t/${Slug}/scim`, owner.email, password);
    const message = 'the key is refused once';
    await page.route(
      '**/BotKeys_Create',
      (route) =>
        route.fulfill({
          status: 400,
          json: { Code: 'failed_precondition', Message: message, Messages: [message] },
        }),
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Connect a directory' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the directory').fill('Entra');
    await dialog.getByRole('button', { name: 'Connect a directory' }).click();
    await dialog.getByText(message).waitFor();
    await dialog.getByLabel('Name of the directory').fill('Entra ID');
    await dialog.getByRole('button', { name: 'Connect a directory' }).click();
    await page.getByText('Copy it now').waitFor();
    const bots = await stack.call('Bots_List', { Tenant: tenant }, owner.token);
    const { Items } = bots.body['Page'] as { Items: Array<{ Name: string }> };
    assert.deepEqual(
      Items.map(({ Name }) => Name),
      ['Entra ID'],
    );
  });
});
