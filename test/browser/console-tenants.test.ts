import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { readList } from '../support/answers.ts';
import { mailTo, newAddress, password } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn, ownConsoleStack } from './console-page.ts';
import { heading } from './sign-in.ts';

// More than one organisation: of a user, and of an operator's customers.

describe('further organisations in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite(ownConsoleStack);
  const { newOperator, newOwner } = supportCalls(stack);

  test('a user with one organisation creates another, with a short name that is free', async () => {
    const owner = await newOwner();
    const page = await newPage();
    await openSignedIn(page, `${stack().url}/account`, owner.email, password);
    await page.goto(`${stack().url}/console`);
    await page.getByRole('button', { name: /^Organisation: Acme/ }).click();
    await assertGood(page, 'tenant-switch');
    await page.getByRole('menuitem', { name: 'New organisation' }).click();
    await page.waitForURL('**/console/new');
    assert.equal(await heading(page, 'New organisation'), 'New organisation');
    const create = page.getByRole('button', { name: 'Create the organisation' });
    await create.click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name of the organisation').fill('Globex');
    await page.getByLabel('Short name').fill('acme');
    await create.click();
    await page.getByText('Another organisation has this short name.').waitFor();
    await assertGood(page, 'tenant-new');
    await page.getByLabel('Short name').fill('globex');
    await create.click();
    await page.waitForURL('**/console/t/globex');
    assert.equal(await heading(page, 'Globex'), 'Globex');
  });

  test('an operator creates an organisation with its administrator and domain, looks into it, deletes and restores it', async () => {
    const operator = await newOperator();
    const administrator = newAddress('administrator');
    const page = await newPage();
    await openSignedIn(page, `${stack().url}/console/platform/tenants`, operator.email, password);
    await page.getByRole('button', { name: 'New organisation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the organisation').fill('Initech');
    await dialog.getByLabel('First administrator').fill(administrator);
    await dialog.getByLabel('Domain').fill('initech.example');
    await assertGood(page, 'platform-new-tenant');
    await dialog.getByRole('button', { name: 'Create the organisation' }).click();
    await page.waitForURL('**/console/platform/tenants/tnt_*');
    assert.equal(await heading(page, 'Initech'), 'Initech');
    assert.match((await mailTo(stack(), administrator)).Text, /Initech/);
    const Tenant = page.url().split('/').at(-1) ?? '';
    const { items } = await readList<{ Email: string; Roles: string[] }>(
      stack(),
      'TenantInvitations_List',
      { Tenant },
      stack().platformKey,
    );
    assert.deepEqual(
      items.map(({ Email, Roles }) => [Email, Roles]),
      [[administrator, ['owner']]],
    );
    await page.getByRole('region', { name: 'Domains' }).getByText('initech.example').waitFor();
    await page.getByRole('region', { name: 'Members' }).getByText(operator.email).waitFor();
    await page.getByRole('region', { name: 'Audit' }).getByText('tenant.created').waitFor();
    const invitations = page.locator('dl > div').filter({ hasText: 'Open invitations' });
    await invitations.getByText('1', { exact: true }).waitFor();
    await assertGood(page, 'platform-tenant');

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('textbox').fill('initech');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Initech is being deleted.').waitFor();
    await page.getByText('Its contents appear once it is restored').waitFor();
    await assertGood(page, 'platform-tenant-deleting');
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('region', { name: 'Domains' }).getByText('initech.example').waitFor();
  });
});
