import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { bodyOf, readList } from '../support/answers.ts';
import { mailTo, password } from '../support/people.ts';
import { addTotp } from '../support/totp.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn, ownConsoleStack } from './console-page.ts';
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

  test('an operator makes a user an operator, sees the operators, removes the role, and finds it in the audit', async () => {
    const [operator, owner] = [await newOperator(), await newOwner()];
    const page = await newPage();
    const address = `${stack().url}/console/platform/users/${owner.id}`;
    await openSignedIn(page, address, operator.email, password);
    await page.getByRole('button', { name: 'Make an operator' }).click();
    const dialog = page.getByRole('dialog');
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
    await row.getByRole('button').click();
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
    await page.getByText('Reason: Ticket 4711').waitFor();
    await page.getByText('grant.removed').first().waitFor();
    await assertGood(page, 'platform-audit');
  });
});
