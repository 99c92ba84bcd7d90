import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, mailTo, newAddress, password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { actOn, assertGood, newConsolePage, openSignedIn } from './console-page.ts';
import { heading, signIn } from './sign-in.ts';

// The console, below a path prefix.

describe('the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    await buildConsole(assert.fail);
    const settings = { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' };
    stack = await startStack('one process', settings, { ports });
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

  const newPage = () => newConsolePage(browser, base, problems);
  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Views' });

  test('a new user creates an organisation, invites a person, and finds the invitation in the list', async () => {
    const { email } = await signUp(stack);
    const page = await newPage();
    // A visitor without a session is no failure: the browser notes none.
    page.on(
      'console',
      (message) =>
        message.type() === 'error' && problems.push(`${message.text()} ${message.location().url}`),
    );
    await page.goto(base);
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.waitForURL('**/login?*');
    await page.getByLabel('E-mail address').waitFor();
    await signIn(page, email, password);
    await page.waitForURL(`${base}/console`);
    assert.equal(await heading(page, 'Welcome to Bailiwick'), 'Welcome to Bailiwick');
    await assertGood(page, 'start');

    await page.getByRole('button', { name: 'Create the organisation' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name of the organisation').fill('Ærø & "Sons" <b>');
    await page.getByRole('button', { name: 'The same by API' }).click();
    const panel = page.getByRole('dialog', { name: 'The same by API' });
    await panel.getByText(/Tenants_Create' \\/).waitFor();
    await panel.getByText('CLI', { exact: true }).click();
    await panel.getByText(/^bailiwick Tenants_Create --url/).waitFor();
    await assertGood(page, 'start-api');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create the organisation' }).click();
    await page.waitForURL('**/console/t/*');
    assert.equal(await heading(page, 'Ærø & "Sons" <b>'), 'Ærø & "Sons" <b>');
    await assertGood(page, 'overview');

    await navigation(page).getByRole('link', { name: 'Members' }).click();
    await page.getByRole('tab', { name: 'Invitations' }).click();
    await page.getByText('There are no invitations yet').waitFor();
    await assertGood(page, 'invitations-empty');
    await page.getByRole('button', { name: 'Invite' }).click();
    const invited = newAddress('invited');
    await page.getByLabel('E-mail address').fill(invited);
    await page.getByRole('combobox', { name: 'Roles' }).press('ArrowDown');
    await page.locator('[role=option]').first().click();
    await page.getByLabel('E-mail address').click();
    await assertGood(page, 'invite');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    const row = page.getByRole('row').filter({ hasText: invited });
    await row.getByText('open').waitFor();
    await mailTo(stack, invited);
    await assertGood(page, 'invitations');

    await actOn(page, invited, `Withdraw the invitation of ${invited}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await row.getByText('withdrawn').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Done').waitFor();
  });

  test('an ended session keeps what was typed, and goes on after a sign-in in another tab', async () => {
    const { email, token } = await signUp(stack);
    const page = await newPage();
    await openSignedIn(page, `${base}/console`, email, password);
    await page.getByLabel('Name of the organisation').fill('Kept');
    assert.equal((await stack.call('Sessions_RevokeAll', {}, token)).status, 200);
    await page.getByRole('button', { name: 'Create the organisation' }).click();
    await page.getByText('Your session has ended').waitFor();
    await assertGood(page, 'ended');
    assert.equal(await page.getByLabel('Name of the organisation').inputValue(), 'Kept');
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await signIn(tab, email, password);
    await tab.waitForURL(`${base}/console`);
    await tab.close();
    await page.getByRole('button', { name: 'I have signed in' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Create the organisation' }).click();
    assert.equal(await heading(page, 'Kept'), 'Kept');
  });

  test('a member without rights sees no view of administrators, also at its address', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Acme');
    const { body } = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const { Slug } = body['Tenant'] as { Slug: string };
    const member = await signUp(stack);
    const role = { Tenant: tenant, Slug: 'reader', Permissions: ['app.reports.read'] };
    assert.equal((await stack.call('Roles_Save', { Role: role }, owner.token)).status, 200);
    const invitation = { Tenant: tenant, Email: member.email, Roles: ['reader'] };
    const created = await stack.call('TenantInvitations_Create', invitation, owner.token);
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const accepted = { Token: created.body['Token'] };
    assert.equal(
      (await stack.call('TenantInvitations_Accept', accepted, member.token)).status,
      200,
    );
    const page = await newPage();
    await openSignedIn(page, `${base}/account`, member.email, password);
    await page.goto(`${base}/console`);
    await page.waitForURL('**/account/tenants');
    await page.getByRole('heading', { name: 'Acme' }).waitFor();
    // The overview would lead back here.
    assert.equal(await page.getByRole('link', { name: 'Acme' }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Open', exact: true }).count(), 0);
    await assertGood(page, 'member');
    await page.goto(`${base}/console/t/${Slug}/invitations`);
    assert.equal(await heading(page, 'You may not see this view'), 'You may not see this view');
    await assertGood(page, 'denied');
    await page.goto(`${base}/console/t/another`);
    assert.equal(await heading(page, 'There is no such view'), 'There is no such view');
    await assertGood(page, 'missing');

    const administrator = await newPage();
    await openSignedIn(administrator, `${base}/console/t/${Slug}/members`, owner.email, password);
    await administrator
      .getByRole('row')
      .filter({ hasText: owner.email })
      .getByText('owner')
      .waitFor();
    await assertGood(administrator, 'members');
    await actOn(administrator, member.email, `Remove ${member.email}`);
    const remove = administrator.getByRole('dialog').getByRole('button', { name: 'Remove' });
    assert.ok(await remove.isDisabled());
    await administrator.getByLabel(`Type ${member.email} to confirm`).fill(member.email);
    await assertGood(administrator, 'remove');
    await remove.click();
    await administrator.getByText(`${member.email} is no longer a member.`).waitFor();
    await page.goto(`${base}/console`);
    assert.equal(await heading(page, 'Welcome to Bailiwick'), 'Welcome to Bailiwick');
  });

  test('a user sees and changes their own account, and ends another session', async () => {
    const { email, token } = await signUp(stack);
    await createTenant(stack, token, 'One');
    await createTenant(stack, token, 'Two');
    const page = await newPage();
    await openSignedIn(page, `${base}/account`, email, password);
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    const update = page.waitForRequest('**/Account_Update');
    await page.getByRole('button', { name: 'Save' }).click();
    // The other fields stay as another tab may have saved them.
    assert.deepEqual((await update).postDataJSON(), { User: { Name: 'Ada Lovelace' } });
    await page.getByText('Your profile was saved.').waitFor();
    await assertGood(page, 'profile');
    const { body } = await stack.call('Account_Get', {}, token);
    assert.equal((body['User'] as { Name: string }).Name, 'Ada Lovelace');
    await navigation(page).getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('this session').waitFor();
    await assertGood(page, 'sessions');
    await page.getByRole('button', { name: /^Actions / }).click();
    await page.getByRole('menuitem', { name: /^End the session of / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    await navigation(page).getByRole('link', { name: 'Organisations' }).click();
    await page.getByRole('heading', { name: 'Two' }).waitFor();
    await assertGood(page, 'tenants');
    await page.goto(`${base}/console`);
    await page.getByRole('button', { name: /^Organisation: One/ }).click();
    await page.getByRole('menuitem', { name: 'Two' }).click();
    assert.equal(await heading(page, 'Two'), 'Two');
    await page.getByRole('button', { name: `Account of ${email}` }).click();
    await page.getByRole('menuitem', { name: /^Your account/ }).hover();
    await assertGood(page, 'menu');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${base}/signed-out`);
  });

  test('403, 429, 500 and an unreachable gateway have their own words, and the input stays', async () => {
    const { email } = await signUp(stack);
    const page = await newPage();
    await openSignedIn(page, `${base}/console`, email, password);
    await page.getByLabel('Name of the organisation').fill('Kept');
    const answers = [
      { status: 403, Code: 'permission_denied', says: 'You may not do this' },
      {
        status: 403,
        Code: 'permission_denied',
        Reason: 'SSO_REQUIRED',
        says: 'another sign-in',
      },
      { status: 429, Code: 'resource_exhausted', says: 'Too many calls' },
      { status: 500, Code: 'internal', says: 'Something went wrong on our side' },
      { status: 0, Code: '', says: 'The service cannot be reached' },
    ];
    for (const { status, Code, Reason = '', says } of answers) {
      await page.route('**/Tenants_Create', (route) => {
        const body = JSON.stringify({ Code, Reason, Messages: ['Why.'], RequestID: 'r-1' });
        const headers = { 'retry-after': '42' };
        return status === 0
          ? route.abort('connectionrefused')
          : route.fulfill({ status, body, headers, contentType: 'application/json' });
      });
      await page.getByRole('button', { name: 'Create the organisation' }).click();
      await page.getByRole('alert').getByText(says).waitFor();
      if (status === 429) await page.getByText('Try again in 42 seconds.').waitFor();
      if (status === 500) await page.getByRole('button', { name: 'Copy r-1' }).waitFor();
      const link = page.getByRole('alert').getByRole('link', { name: 'Sign in' });
      assert.equal(await link.count(), Reason === '' ? 0 : 1);
      await assertGood(page, `failure-${status}${Reason === '' ? '' : '-sign-in'}`);
      await page.unroute('**/Tenants_Create');
    }
    assert.equal(await page.getByLabel('Name of the organisation').inputValue(), 'Kept');
  });

  test('a view that cannot be loaded says so, and loads at the next try', async () => {
    const { email, token } = await signUp(stack);
    await createTenant(stack, token, 'Acme');
    const page = await newPage();
    await openSignedIn(page, `${base}/account`, email, password);
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.route('**/Sessions_List', (route) => route.abort('connectionrefused'));
    await navigation(page).getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await page.unroute('**/Sessions_List');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('this session').waitFor();
  });

  test('the console is in the language of the browser, and in the one that the user chooses', async () => {
    const { email } = await signUp(stack);
    const page = await newConsolePage(browser, base, problems, { locale: 'ja' });
    await page.goto(`${base}/console`);
    await page.waitForURL('**/login?*');
    await page.goto(`${base}/login?ui_locale=en&return_to=/console`);
    await signIn(page, email, password);
    await page.waitForURL(`${base}/console`);
    await page.goto(`${base}/console?ui_locale=de`);
    assert.equal(await heading(page, 'Willkommen bei Bailiwick'), 'Willkommen bei Bailiwick');
    await assertGood(page, 'start-de');
    await page.getByLabel('Sprache').selectOption('ja');
    assert.equal(await heading(page, 'Bailiwick へようこそ'), 'Bailiwick へようこそ');
    assert.equal(await page.evaluate('document.documentElement.lang'), 'ja');
    await assertGood(page, 'start-ja');
    await page.reload();
    assert.equal(await heading(page, 'Bailiwick へようこそ'), 'Bailiwick へようこそ');
  });

  test('the keyboard alone reaches the content, the navigation and the account', async () => {
    const { email, token } = await signUp(stack);
    await createTenant(stack, token, 'Acme');
    const page = await newPage();
    await openSignedIn(page, `${base}/account`, email, password);
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focusedText(page), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'view');
    await page.evaluate('document.activeElement.blur()');
    await tabUntil(page, 'Sessions');
    await page.keyboard.press('Enter');
    assert.equal(await heading(page, 'Sessions'), 'Sessions');
  });
});

const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.innerText');

async function tabUntil(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab');
    if ((await focusedText(page)) === text) return;
  }
  assert.fail(`the Tab key does not reach ${text}`);
}
