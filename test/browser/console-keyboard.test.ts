import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually, type Stack } from '../support/harness.ts';
import { createTenant, mailTo, newAddress, password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleStack, newConsolePage, openSignedIn } from './console-page.ts';
import { heading } from './sign-in.ts';

// The console without a mouse: the keyboard alone, and the search that it opens.

describe('the console by keyboard', { skip: withoutChromium }, () => {
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

  const newPage = () => newConsolePage(browser, base, problems);

  test('a user creates an organisation, invites a person and adds a webhook without the mouse', async () => {
    const { email } = await signUp(stack);
    const page = await newPage();
    const { keyboard } = page;
    await openSignedIn(page, `${base}/console`, email, password);
    await tabTo(page, 'Name of the organisation');
    await keyboard.type('Keys');
    await keyboard.press('Enter');
    await heading(page, 'Keys');
    // The heading of the new view has the focus.
    await focusOn(page, 'Keys');

    await tabTo(page, 'To the invitations');
    await keyboard.press('Enter');
    await heading(page, 'Invitations');
    await focusOn(page, 'Invitations');
    await tabTo(page, 'Invite');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'E-mail address');
    const invited = newAddress('keys');
    await keyboard.type(invited);
    await tabTo(page, 'Send the invitation');
    await keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: invited }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await mailTo(stack, invited);
    // After a dialog, the focus is on the button that opened it.
    await focusOn(page, 'Invite');

    await openSearch(page);
    await keyboard.type('webh');
    await keyboard.press('Enter');
    await heading(page, 'Webhooks');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await focusOn(page, 'Webhooks');
    await tabTo(page, 'Add an endpoint');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Name');
    await keyboard.type('Orders');
    await tabTo(page, 'Address');
    await keyboard.type('https://orders.example.com/hook');
    await keyboard.press('Enter');
    await tabTo(page, 'I have stored it');
    await keyboard.press('Enter');
    await page.getByRole('link', { name: 'Orders' }).first().waitFor();
  });

  test('the search finds views, members, groups, roles and bots of this tenant only', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Findable');
    const foreign = await signUp(stack);
    const other = await createTenant(stack, foreign.token, 'Other');
    const make = async (Tenant: string, token: string) => {
      const saved = [
        await stack.call('Groups_Save', { Group: { Tenant, Path: 'zeta/night' } }, token),
        await stack.call('Bots_Save', { Bot: { Tenant, Name: 'Zeta bot' } }, token),
        await stack.call(
          'Roles_Save',
          { Role: { Tenant, Slug: 'zeta', Permissions: ['app.zeta.read'] } },
          token,
        ),
      ];
      assert.deepEqual(
        saved.map(({ status }) => status),
        [200, 200, 200],
      );
    };
    await make(tenant, owner.token);
    await make(other, foreign.token);
    const { body } = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const view = `${base}/console/t/${(body['Tenant'] as { Slug: string }).Slug}`;
    const page = await newPage();
    const { keyboard } = page;
    const field = page.getByRole('combobox', { name: 'Search views and records' });
    const options = page.getByRole('dialog').getByRole('option');
    await openSignedIn(page, view, owner.email, password);
    await keyboard.press('Control+k');
    await field.waitFor();
    await assertGood(page, 'search');
    await keyboard.type('zeta');
    await page.getByText('Results: 3').waitFor();
    await assertGood(page, 'search-found');
    assert.deepEqual(
      await options.evaluateAll((elements) => elements.map((one) => one.ariaSelected)),
      ['true', 'false', 'false'],
    );
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    const last = options.last();
    assert.equal(await last.getAttribute('aria-selected'), 'true');
    assert.equal(await field.getAttribute('aria-activedescendant'), await last.getAttribute('id'));
    await keyboard.press('Enter');
    await heading(page, 'Zeta bot');
    await openSearch(page);
    await keyboard.type(owner.email);
    await options.filter({ hasText: owner.email }).waitFor();
    await field.fill(foreign.email);
    await page.getByText('Nothing was found.').waitFor();
    await keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });

    // A key that is typed into a field is a part of its text.
    await page.goto(`${base}/account`);
    await page.getByLabel('Name', { exact: true }).focus();
    await keyboard.type('a/b');
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'a/b');
    assert.equal(await field.count(), 0);
  });

  test('the search finds a record that 200 others come before', async () => {
    const owner = await signUp(stack);
    const Tenant = await createTenant(stack, owner.token, 'Many');
    const save = async (Name: string) => {
      const { status } = await stack.call('Bots_Save', { Bot: { Tenant, Name } }, owner.token);
      assert.equal(status, 200);
    };
    for (let batch = 0; batch < 10; batch++)
      await Promise.all(Array.from({ length: 21 }, (_, n) => save(`Batch ${batch} ${n}`)));
    await save('Zeta bot');
    const { body } = await stack.call('Tenants_Get', { Tenant }, owner.token);
    const view = `${base}/console/t/${(body['Tenant'] as { Slug: string }).Slug}`;
    const page = await newPage();
    await openSignedIn(page, view, owner.email, password);
    await openSearch(page);
    await page.keyboard.type('zeta');
    await page.getByRole('option', { name: 'Zeta bot' }).click();
    await heading(page, 'Zeta bot');
  });

  test('a member finds no view and no record that they may not see', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Closed');
    const role = { Tenant: tenant, Slug: 'reader', Permissions: ['app.reports.read'] };
    assert.equal((await stack.call('Roles_Save', { Role: role }, owner.token)).status, 200);
    const member = await signUp(stack);
    const invitation = { Tenant: tenant, Email: member.email, Roles: ['reader'] };
    const created = await stack.call('TenantInvitations_Create', invitation, owner.token);
    const accepted = { Token: created.body['Token'] };
    assert.equal(
      (await stack.call('TenantInvitations_Accept', accepted, member.token)).status,
      200,
    );
    const page = await newPage();
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url()));
    await openSignedIn(page, `${base}/console`, member.email, password);
    await page.getByRole('button', { name: 'Search' }).click();
    const field = page.getByRole('combobox', { name: 'Search views and records' });
    await field.fill('reader');
    await page.getByText('Nothing was found.').waitFor();
    await field.fill('webhooks');
    await page.getByText('Nothing was found.').waitFor();
    const lists = calls.filter((url) => /ByTenant|Bots_List/.test(url));
    assert.deepEqual(lists, []);
  });
});

/** Opens the search, and waits until its field takes what is typed. */
async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await page.locator('input[role=combobox]:focus').waitFor();
}

/** The name of the focused element: its label, or its text. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ ariaLabel, labels, innerText }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText)(document.activeElement)`,
  );

const focusOn = (page: Page, name: string) =>
  eventually(`the focus on ${name}`, async () => (await focused(page)) === name);

async function tabTo(page: Page, name: string): Promise<void> {
  const met: string[] = [];
  for (let presses = 0; presses < 40; presses++) {
    const here = (await focused(page)).replace(' *', '').trim();
    if (here === name) return;
    met.push(here);
    await page.keyboard.press('Tab');
  }
  assert.fail(`the Tab key does not reach ${name}, only ${met.join(' | ')}`);
}
