import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createBot, createKey } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { actOn, assertGood, consoleStack, newConsolePage, openSignedIn } from './console-page.ts';
import { heading } from './sign-in.ts';

// Bots, their keys and their trusts in the console.

describe('the bots in the console', { skip: withoutChromium }, () => {
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

  async function newOwner() {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Acme');
    const { body } = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const { Slug } = body['Tenant'] as { Slug: string };
    return { ...owner, tenant, view: `${base}/console/t/${Slug}/bots` };
  }
  const ask = (tenant: string, token: string) =>
    stack.call('Access_ListPermissions', { Tenant: tenant }, token);

  test('an administrator creates a bot and a key that works, rotates it, and revokes it', async () => {
    const { email, tenant, view } = await newOwner();
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, view, email, password);
    await page.getByText('There are no bots yet').waitFor();
    await assertGood(page, 'bots-empty');
    await page.getByRole('button', { name: 'Create a bot' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('deployer <b>');
    await page.getByLabel('Description').fill('Deploys the shop.');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.equal(await heading(page, 'deployer <b>'), 'deployer <b>');
    await page.getByText('There are no keys yet').waitFor();

    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('pipeline');
    await dialog.getByLabel('Networks').fill('nowhere');
    await dialog.getByLabel('Networks').press('Enter');
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    await dialog.getByText(/must be an IP address/).waitFor();
    await dialog.getByLabel('Networks').press('Backspace');
    await assertGood(page, 'bots-create-key');
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('Copy it now').waitFor();
    const first = await dialog.getByLabel('Secret', { exact: true }).innerText();
    assert.equal((await ask(tenant, first)).status, 200);
    await page.keyboard.press('Escape');
    await assertGood(page, 'bots-secret');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'pipeline' });
    await row.getByText('active').waitFor();
    await assertGood(page, 'bots-keys');
    assert.ok(!(await page.content()).includes(first));

    await actOn(page, 'pipeline', 'Rotate the key pipeline');
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('Copy it now').waitFor();
    const second = await dialog.getByLabel('Secret', { exact: true }).innerText();
    assert.notEqual(second, first);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await row.filter({ hasText: 'ends soon' }).waitFor();
    const successor = row.filter({ hasText: 'active' });
    await successor.getByRole('button', { name: /^Actions / }).click();
    await successor.getByRole('menuitem', { name: 'Revoke the key pipeline' }).click();
    const revoke = dialog.getByRole('button', { name: 'Revoke', exact: true });
    assert.ok(await revoke.isDisabled());
    await dialog.getByLabel('Type pipeline to confirm').fill('pipeline');
    await revoke.click();
    await row.filter({ hasText: 'revoked' }).waitFor();
    assert.equal((await ask(tenant, second)).status, 401);
  });

  test('a bot is disabled, a change meanwhile is reported, and its deletion asks for its name', async () => {
    const { email, token, tenant, view } = await newOwner();
    const bot = await createBot(stack, tenant, token);
    const key = await createKey(stack, bot, token);
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${view}/${bot.ID}`, email, password);
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('disabled', { exact: true }).waitFor();
    assert.equal((await ask(tenant, key.Secret)).status, 401);

    await page.getByRole('button', { name: 'Edit' }).click();
    await createBot(stack, tenant, token, { ID: bot.ID, Name: 'changed meanwhile' });
    await dialog.getByLabel('Name').fill('mine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This is not possible now').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    assert.equal(await heading(page, 'changed meanwhile'), 'changed meanwhile');

    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByLabel('Type changed meanwhile to confirm').fill('changed meanwhile');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no bots yet').waitFor();
  });

  test('a trust in GitHub Actions is filled in from the repository, edited and deleted', async () => {
    const { email, token, tenant, view } = await newOwner();
    const bot = await createBot(stack, tenant, token);
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${view}/${bot.ID}`, email, password);
    await page.getByRole('tab', { name: 'Trusts' }).click();
    await page.waitForURL(`${view}/${bot.ID}/trusts`);
    await page.getByText('This bot trusts no other issuer yet').waitFor();
    await page.getByRole('button', { name: 'Add a trust' }).click();
    const dialog = page.getByRole('dialog');
    const issuer = dialog.getByRole('combobox', { name: 'Issuer' });
    await issuer.selectOption('Kubernetes');
    await assertGood(page, 'bots-trust-kubernetes');
    await issuer.selectOption('GitHub Actions');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This is needed.').waitFor();
    await dialog.getByLabel('Repository').fill('acme/app');
    await dialog.getByLabel('Branch').fill('main');
    await dialog.getByLabel('ID of the owner').fill('583231');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(`client_id=${bot.ID}`).waitFor();
    await assertGood(page, 'bots-trust-use');
    await dialog.getByRole('button', { name: 'Close' }).click();
    const stored = await stack.call('BotTrusts_List', { Tenant: tenant, Bot: bot.ID }, token);
    const { Items } = stored.body['Page'] as { Items: Array<Record<string, unknown>> };
    assert.equal(Items[0]?.['Subject'], 'repo:acme/app:ref:refs/heads/main');
    assert.deepEqual(Items[0]?.['Claims'], { repository_owner_id: '583231' });
    await assertGood(page, 'bots-trusts');

    await actOn(page, 'repo:acme/app', 'Edit: repo:acme/');
    await dialog.getByLabel('Subject').fill('repo:acme/app:*');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await actOn(page, 'repo:acme/app:*', 'Delete: repo:acme/app:*');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This bot trusts no other issuer yet').waitFor();
  });

  test("a member without the permission, and another tenant's owner, see no bot", async () => {
    const { token, tenant, view } = await newOwner();
    const bot = await createBot(stack, tenant, token);
    const other = await newOwner();
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${other.view}/${bot.ID}`, other.email, password);
    await page.getByText('This does not exist').waitFor();
    await page.goto(`${view}/${bot.ID}`);
    assert.equal(await heading(page, 'There is no such view'), 'There is no such view');

    const role = { Tenant: tenant, Slug: 'reader', Permissions: ['app.reports.read'] };
    assert.equal((await stack.call('Roles_Save', { Role: role }, token)).status, 200);
    const member = await signUp(stack);
    const invitation = { Tenant: tenant, Email: member.email, Roles: ['reader'] };
    const { body } = await stack.call('TenantInvitations_Create', invitation, token);
    const accepted = { Token: body['Token'] };
    assert.equal(
      (await stack.call('TenantInvitations_Accept', accepted, member.token)).status,
      200,
    );
    const reader = await newConsolePage(browser, base, problems);
    await openSignedIn(reader, `${view}/${bot.ID}/trusts`, member.email, password);
    assert.equal(await heading(reader, 'You may not see this view'), 'You may not see this view');
    assert.equal(await reader.getByRole('link', { name: 'Bots' }).count(), 0);
  });
});
