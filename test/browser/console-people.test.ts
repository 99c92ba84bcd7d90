import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { createTenant, mailsTo, newAddress, password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { actOn, assertGood, consoleSuite, openSignedIn } from './console-page.ts';

// The page of a member, and the invitations beside the members.

describe('people in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  /** A tenant with its owner and one more member, and a page of its console for `as`. */
  async function openWith(as: 'owner' | 'member' = 'owner', role = '') {
    const [owner, member] = [await signUp(stack()), await signUp(stack())];
    const Tenant = await createTenant(stack(), owner.token);
    const call = async (operation: string, body: object, token: string | undefined = owner.token) =>
      bodyOf(await stack().call(operation, { Tenant, ...body }, token));
    await call('TenantMembers_Add', { UserID: member.id }, stack().platformKey);
    if (role !== '')
      bodyOf(
        await stack().call(
          'Grants_Add',
          { Grant: { Tenant, UserID: member.id, Role: role } },
          owner.token,
        ),
      );
    const { Slug } = (await call('Tenants_Get', {}))['Tenant'] as { Slug: string };
    const page = await newPage();
    const views = `${stack().url}/console/t/${Slug}`;
    const reader = as === 'owner' ? owner : member;
    await openSignedIn(page, `${views}/members`, reader.email, password);
    return { page, views, Tenant, owner, member, call, dialog: page.getByRole('dialog') };
  }

  test('a row of the members leads to a page on which roles, groups and the membership are changed, and each permission is explained', async () => {
    const { page, Tenant, owner, member, call, dialog } = await openWith();
    for (const Path of ['sales', 'sales/emea'])
      bodyOf(await stack().call('Groups_Save', { Group: { Tenant, Path } }, owner.token));
    const Permissions = ['app.reports.*'];
    const Role = { Tenant, Slug: 'report-editor', Permissions };
    bodyOf(await stack().call('Roles_Save', { Role }, owner.token));
    bodyOf(
      await stack().call(
        'GroupGrants_Add',
        { Grant: { Tenant, Group: 'sales', Role: 'report-editor' } },
        owner.token,
      ),
    );
    const link = page.getByRole('link', { name: member.email });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/members/${member.id}`);
    const section = (name: string) => page.getByRole('region', { name });
    const undo = async (done: string) => {
      const message = page.getByRole('alert').filter({ hasText: done });
      await message.getByRole('button', { name: 'Undo' }).click();
      await message.waitFor({ state: 'detached' });
    };
    await section('Roles').getByRole('row').filter({ hasText: 'member' }).waitFor();

    await page.getByRole('button', { name: 'Give a role' }).click();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'report-editor' }).click();
    await dialog.getByText('These would gain').waitFor();
    await assertGood(page, 'member-role');
    await dialog.getByRole('button', { name: 'Give a role' }).click();
    await section('Roles').getByRole('row').filter({ hasText: 'report-editor' }).waitFor();
    await section('Permissions in effect').getByText('app.reports.*').waitFor();
    await actOn(section('Roles'), 'report-editor', 'Remove: report-editor');
    await dialog.getByText('These would lose').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await undo('The role was removed.');
    await section('Roles').getByRole('row').filter({ hasText: 'report-editor' }).waitFor();
    await actOn(section('Roles'), 'report-editor', 'Remove: report-editor');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await section('Permissions in effect')
      .getByText('app.reports.*')
      .waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Add to a group' }).click();
    await dialog.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'sales/emea' }).click();
    await dialog.getByText('These would gain').waitFor();
    await dialog.getByRole('button', { name: 'Add to a group' }).click();
    await section('Groups').getByRole('row').filter({ hasText: 'sales/emea' }).waitFor();
    await section('Permissions in effect').getByRole('button', { name: 'app.reports.*' }).click();
    const way = page.getByRole('list', { name: 'The way to this permission' });
    for (const name of ['sales/emea', 'report-editor']) await way.getByText(name).waitFor();
    await assertGood(page, 'member');
    await actOn(section('Groups'), 'sales/emea', 'Remove: sales/emea');
    await dialog.getByText('These would lose').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    // The list does not say whether a provider manages the membership, so no Undo is offered.
    const removed = page.getByRole('alert').filter({ hasText: 'Removed from sales/emea.' });
    await removed.waitFor();
    assert.equal(await removed.getByRole('button', { name: 'Undo' }).count(), 0);
    await section('Groups').getByText('This person is in no group.').waitFor();

    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    const [listed] = (
      (await call('TenantMembers_List', { UserID: member.id }))['Page'] as {
        Items: Array<{ Status: string }>;
      }
    ).Items;
    assert.equal(listed?.Status, 'disabled');
    await page.getByRole('button', { name: 'Enable' }).click();
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('active', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByLabel(`Type ${member.email} to confirm`).fill(member.email);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL('**/members');
    await page.goBack();
    await page.getByText('This person is not a member').waitFor();
    await assertGood(page, 'member-none');
  });

  test('a reader of the members sees a page without buttons, and one without rights to grants no roles', async () => {
    const { page, views, owner } = await openWith('member', 'auditor');
    await page.goto(`${views}/members/${owner.id}`);
    await page.getByRole('region', { name: 'Last events' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('region', { name: 'Roles' }).getByText('owner').waitFor();
    for (const name of ['Give a role', 'Add to a group', 'Disable', 'Remove'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
    assert.equal(await page.getByRole('button', { name: 'Invite' }).count(), 0);
    await assertGood(page, 'member-reader');
  });

  test('an invitation is sent again with a link to copy, and the former address of the invitations leads to their tab', async () => {
    const { page, views, dialog } = await openWith();
    const email = newAddress('invited');
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByRole('button', { name: 'Send the invitation' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.goto(`${views}/invitations?status=pending`);
    await page.waitForURL('**/members/invitations?status=pending');
    await actOn(page, email, `Send again: ${email}`);
    await dialog.getByRole('button', { name: 'Send again' }).click();
    const link = dialog.getByText(/invitation#token=/);
    await link.waitFor();
    await assertGood(page, 'invitation-link');
    const address = (await link.textContent()) ?? '';
    const mails = await mailsTo(stack(), email);
    assert.ok(
      mails.some(({ Text }) => Text.includes(address.split('#')[1] ?? '?')),
      address,
    );
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const guest = await newPage();
    await guest.goto(address);
    await guest.getByText(email).first().waitFor();
  });

  test('an existing account is added by ID, and its membership waits for the person', async () => {
    const { page, call, dialog } = await openWith();
    const other = await signUp(stack());
    await page.getByRole('button', { name: 'Add an existing account' }).click();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Enter the ID or the address of an account.').waitFor();
    await dialog.getByRole('combobox', { name: 'Account' }).fill(other.email);
    await dialog.getByText('You cannot see an account with this address.').waitFor();
    await assertGood(page, 'member-add');
    await dialog.getByRole('combobox', { name: 'Account' }).fill(other.id);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: other.id }).click();
    await page.waitForURL(`**/members/${other.id}`);
    await page.getByRole('table', { name: 'Members' }).waitFor({ state: 'detached' });
    await page.getByText('not accepted yet').waitFor();
    await assertGood(page, 'member-pending');
    const { Items } = (await call('TenantMembers_List', { UserID: other.id }))['Page'] as {
      Items: Array<{ Status: string }>;
    };
    assert.equal(Items[0]?.Status, 'pending');
  });
});
