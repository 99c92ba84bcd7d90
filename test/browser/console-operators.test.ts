import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { bodyOf, readList } from '../support/answers.ts';
import { eventually } from '../support/harness.ts';
import { mailTo, newAddress, password } from '../support/people.ts';
import { countOf } from '../support/store.ts';
import { addTotp } from '../support/totp.ts';
import { withoutChromium } from './chromium.ts';
import { actOn, assertGood, consoleSuite, openSignedIn, ownConsoleStack } from './console-page.ts';
import { heading } from './sign-in.ts';

// An operator looks after a user who has lost the phone, and after the operators.

describe('users and operators in the console of operators', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite(ownConsoleStack);
  const { newOperator, newOwner } = supportCalls(stack);

  test('an operator resets the factors of a user who has lost the phone, for a reason, and deletes a user', async () => {
    const [operator, owner] = [await newOperator(), await newOwner()];
    await addTotp(stack(), owner.token);
    const page = await newPage();
    const query = encodeURIComponent(owner.email);
    const address = `${stack().url}/console/platform/users?query=${query}`;
    await openSignedIn(page, address, operator.email, password);
    await page.getByRole('link', { name: owner.email }).click();
    await page.waitForURL(`**/console/platform/users/${owner.id}`);
    assert.equal(await heading(page, owner.email), owner.email);
    await page.getByRole('region', { name: 'Roles' }).getByText('owner', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Last actions' }).getByText('user.').first().waitFor();
    await assertGood(page, 'platform-user');
    await page.getByRole('button', { name: 'Reset second steps' }).click();
    const dialog = page.getByRole('dialog');
    const reset = dialog.getByRole('button', { name: 'Reset second steps' });
    await reset.click();
    await dialog.getByText('Enter a reason.').waitFor();
    await dialog.getByLabel('Reason').fill('Ticket 4711');
    await assertGood(page, 'platform-reset-factors');
    await reset.click();
    await page.getByText(`${owner.email} no longer has a second step.`).waitFor();
    const login = { Email: owner.email, Password: password };
    const { Token } = bodyOf(await stack().call('Account_Login', login));
    assert.match(String(Token), /^bwks_/);
    assert.match((await mailTo(stack(), owner.email, 3)).Text, /Ticket 4711/);

    const other = (await newOperator('platform-support')).id;
    await page.goto(`${stack().url}/console/platform/users/${other}`);
    for (const [name, next] of [
      ['Disable', 'Enable'],
      ['Enable', 'Disable'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      await dialog.getByLabel('Reason').fill('Ticket 4712');
      await dialog.getByRole('button', { name, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByText(name === 'Disable' ? / is disabled\.$/ : / is enabled\.$/).waitFor();
      await page.locator('button:focus').filter({ hasText: next }).waitFor();
    }
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByLabel('Reason').fill('Left the company');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog
      .getByText(/^Type .* to/)
      .last()
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  test('an operator creates a user, edits the details, and sees and ends the sessions of a user', async () => {
    const [operator, owner] = [await newOperator(), await newOwner()];
    await addTotp(stack(), owner.token, 'Pixel');
    const email = newAddress('created');
    const page = await newPage();
    await openSignedIn(page, `${stack().url}/console/platform/users`, operator.email, password);
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = page.getByRole('dialog');
    const create = dialog.getByRole('button', { name: 'New user' });
    await create.click();
    await dialog.getByText('Enter an e-mail address.').waitFor();
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await assertGood(page, 'platform-new-user');
    await create.click();
    await page.waitForURL('**/console/platform/users/usr_*');
    assert.equal(await heading(page, 'Grace Hopper'), 'Grace Hopper');
    await page.getByText('The user is not signed in anywhere.').waitFor();
    await page.getByText('The user has no second step.').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Grace Brewster Hopper');
    const save = dialog.getByRole('button', { name: 'Save' });
    await save.click();
    await dialog.getByText('Enter a reason.').waitFor();
    await dialog.getByLabel('Reason').fill('Ticket 4714');
    await assertGood(page, 'platform-edit-user');
    await save.click();
    assert.equal(await heading(page, 'Grace Brewster Hopper'), 'Grace Brewster Hopper');
    assert.match((await mailTo(stack(), email, 1)).Text, /Ticket 4714/);

    await page.goto(`${stack().url}/console/platform/users/${owner.id}`);
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await sessions.getByRole('row').nth(1).waitFor();
    await page.getByRole('region', { name: 'Second steps' }).getByText('Pixel').waitFor();
    await assertGood(page, 'platform-user-access');
    await sessions.getByRole('button', { name: /^Actions / }).click();
    await sessions.getByRole('menuitem', { name: /^End / }).click();
    await dialog.getByLabel('Reason').fill('Stolen laptop');
    await dialog.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText(`The session of ${owner.email} has ended.`).waitFor();
    await page.getByText('The user is not signed in anywhere.').waitFor();
    const { status } = await stack().call('Account_Get', {}, owner.token);
    assert.equal(status, 401);
  });

  test('an operator makes a user an operator, sees the operators, removes the role, and finds it in the audit', async () => {
    const [operator, owner] = [await newOperator(), await newOwner()];
    const page = await newPage();
    const address = `${stack().url}/console/platform/users/${owner.id}`;
    await openSignedIn(page, address, operator.email, password);
    await page.getByRole('button', { name: 'Make an operator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Ticket 4713');
    await assertGood(page, 'platform-make-operator');
    await dialog.getByRole('button', { name: 'Make an operator' }).click();
    await page.getByText(`${owner.email} is an operator now.`).waitFor();
    const open = (name: string) =>
      page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
    await open('Operators');
    const row = page.getByRole('row').filter({ hasText: owner.email });
    await row.getByText('platform-support').last().waitFor();
    await assertGood(page, 'platform-operators');
    await row.getByRole('link', { name: owner.email }).click();
    await page.waitForURL(`**/console/platform/users/${owner.id}`);
    await page.goBack();
    await actOn(page, owner.email, 'Remove the role');
    await dialog.getByText('The operators and the person get a mail with your name.').waitFor();
    await assertGood(page, 'platform-remove-role');
    await dialog.getByRole('button', { name: 'Remove the role' }).click();
    await row.waitFor({ state: 'detached' });
    const { items } = await readList<{ UserID: string }>(
      stack(),
      'Grants_ListByTenant',
      { Platform: true },
      stack().platformKey,
    );
    assert.ok(!items.some(({ UserID }) => UserID === owner.id));
    await open('Audit');
    const entries = page.locator('[data-entry]');
    const added = entries.filter({ hasText: 'gave' });
    const removed = entries.filter({ hasText: 'took the role' });
    await added.filter({ hasText: 'Reason: Ticket 4713' }).first().waitFor();
    await removed.first().waitFor();
    await assertGood(page, 'platform-audit');
    const search = page.getByRole('combobox', { name: 'Search' });
    const choose = async (text: string, option: string | RegExp) => {
      await search.fill(text);
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await choose(operator.email.slice(0, 12), new RegExp(operator.email));
    await page.waitForURL(/actor=usr_/);
    await choose('grant.removed', 'grant.removed');
    await page.waitForURL(/action=grant\.removed/);
    await added.first().waitFor({ state: 'detached' });
    assert.equal(await removed.count(), 1);
    await choose('hour', 'Last hour');
    await page.waitForURL(/from=/);
    await removed.waitFor();
    await assertGood(page, 'platform-audit-filtered');
    await removed.click();
    await dialog.getByText('grant.removed', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await choose('user.disabled', 'user.disabled');
    await page.getByText('No entry matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).first().click();
    await removed.first().waitFor();
  });

  test('the second page of a period of the platform’s audit can be reloaded', async () => {
    const operator = await newOperator();
    for (let count = 0; count < 26; count++)
      await stack().call(
        'Users_Create',
        { User: { Email: newAddress('many') }, Password: password },
        stack().platformKey,
      );
    const made = "access.audit_entry where tenant = '' and operation = 'Users_Create'";
    await eventually('the entries', async () => (await countOf(stack(), made)) >= 26);
    const page = await newPage();
    const address = `${stack().url}/console/platform/audit`;
    await openSignedIn(page, address, operator.email, password);
    await page.getByRole('combobox', { name: 'Search' }).fill('hour');
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.waitForURL(/from=/);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL(/from=.*cursor=|cursor=.*from=/);
    const entries = page.locator('[data-entry]');
    await page.getByRole('button', { name: 'First page' }).waitFor();
    const first = await entries.first().innerText();
    await page.reload();
    await entries.first().waitFor();
    assert.equal(await entries.first().innerText(), first);
    await page.getByRole('button', { name: 'First page' }).waitFor();
  });
});
