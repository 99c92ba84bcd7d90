import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { createTenant, newAddress, password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { actOn, assertGood, consoleSuite, openSignedIn } from './console-page.ts';

// Several rows of a list are selected and changed together, each with a call of its own.

describe('bulk actions in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  /** A tenant with its owner and other members, and a page of its members. */
  async function openWith(count: number, options = {}) {
    const owner = await signUp(stack());
    const Tenant = await createTenant(stack(), owner.token);
    const call = async (operation: string, body: object, token: string | undefined = owner.token) =>
      bodyOf(await stack().call(operation, { Tenant, ...body }, token));
    const members: Array<{ ID: string; Name: string; Email: string }> = [];
    for (let index = 0; index < count; index++) {
      const User = { Name: `Person ${index}`, Email: newAddress('bulk') };
      const created = bodyOf(await stack().call('Users_Create', { User }, stack().platformKey));
      const { ID } = created['User'] as { ID: string };
      await call('TenantMembers_Add', { UserID: ID }, stack().platformKey);
      members.push({ ID, ...User });
    }
    const { Slug } = (await call('Tenants_Get', {}))['Tenant'] as { Slug: string };
    const page = await newPage(options);
    const views = `${stack().url}/console/t/${Slug}`;
    await openSignedIn(page, `${views}/members`, owner.email, password);
    const statuses = async () => {
      const { Items } = (await call('TenantMembers_List', {}))['Page'] as {
        Items: Array<{ UserID: string; Status: string }>;
      };
      return members.map(({ ID }) => Items.find(({ UserID }) => UserID === ID)?.Status);
    };
    return {
      page,
      views,
      Tenant,
      owner,
      members,
      call,
      statuses,
      dialog: page.getByRole('dialog'),
    };
  }

  const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });

  test('selected members are disabled by keyboard, those that fail are named with the reason, and Undo enables the others', async () => {
    const { page, members, call, statuses, dialog } = await openWith(3);
    const [, second] = members;
    const all = page.getByRole('checkbox', { name: 'Select all on this page' });
    await all.focus();
    await page.keyboard.press('Space');
    await bar(page).getByText('4 selected').waitFor();
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 5);
    await assertGood(page, 'bulk-selected');
    // The owner cannot disable the own membership.
    await bar(page).getByRole('button', { name: 'Disable (3)' }).press('Enter');
    await dialog.getByText(second?.Email ?? '').waitFor();
    await assertGood(page, 'bulk-question');
    await call('TenantMembers_Remove', { UserID: second?.ID });
    await dialog.getByRole('button', { name: 'Disable' }).press('Enter');
    const failures = dialog.getByRole('alert');
    await failures.getByText('Not done: 1').waitFor();
    await failures.getByText(second?.Email ?? '').waitFor();
    await failures.getByText('This does not exist').waitFor();
    await assertGood(page, 'bulk-failures');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await statuses(), ['disabled', undefined, 'disabled']);
    await page.getByText('Members disabled: 2').waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('The change was undone.').waitFor();
    assert.deepEqual(await statuses(), ['active', undefined, 'active']);
  });

  test('selected members get a role and a group, and are removed after the name of the organisation is typed', async () => {
    const { page, Tenant, members, call, owner, statuses, dialog } = await openWith(2);
    bodyOf(await stack().call('Groups_Save', { Group: { Tenant, Path: 'sales' } }, owner.token));
    await page.reload();
    for (const { Name } of members)
      await page.getByRole('row').filter({ hasText: Name }).getByRole('checkbox').check();
    await bar(page).getByRole('button', { name: 'Give a role' }).click();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'auditor' }).click();
    await assertGood(page, 'bulk-role');
    await dialog.getByRole('button', { name: 'Give a role' }).click();
    await page.getByText('Members given the role auditor: 2').waitFor();
    // The rows that were changed are no longer selected.
    await bar(page).waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await bar(page).getByRole('button', { name: 'Add to a group' }).click();
    await dialog.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'sales' }).click();
    await dialog.getByRole('button', { name: 'Add to a group' }).click();
    await page.getByText('Added to sales: 3').waitFor();
    const { Items } = (await call('Groups_ListMembers', { Group: 'sales' }))['Page'] as {
      Items: string[];
    };
    assert.equal(Items.length, 3);

    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await bar(page).getByRole('button', { name: 'Remove (2)' }).click();
    assert.ok(await dialog.getByRole('button', { name: 'Remove' }).isDisabled());
    await dialog.getByLabel(/^Type .* to confirm$/).fill('Acme');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Members removed: 2').waitFor();
    assert.deepEqual(await statuses(), [undefined, undefined]);
  });

  test('on a phone invitations are cards without sideways scrolling, and several are withdrawn', async () => {
    const viewport = { width: 360, height: 740 };
    const { page, views, call, dialog } = await openWith(0, { viewport });
    const addresses = ['long.address.of.another.person', 'b', 'c'].map((name) => newAddress(name));
    for (const Email of addresses) await call('TenantInvitations_Create', { Email });
    await page.goto(`${views}/members/invitations`);
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 740 });
      await page
        .getByRole('row')
        .filter({ hasText: addresses[2] ?? '' })
        .waitFor();
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        0,
        String(width),
      );
    }
    const [first = '', second = ''] = addresses;
    await page.getByRole('row').filter({ hasText: first }).getByRole('checkbox').check();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await bar(page).getByText('3 selected').waitFor();
    await page.getByRole('row').filter({ hasText: second }).getByRole('checkbox').uncheck();
    await assertGood(page, 'bulk-invitations');
    await bar(page).getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Withdraw' }).click();
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Invitations withdrawn: 2').waitFor();
    await page.getByRole('row').filter({ hasText: 'withdrawn' }).nth(1).waitFor();
    await page.getByRole('row').filter({ hasText: second }).getByText('open').waitFor();
  });

  test('a row opens its page, and its menu is used by keyboard', async () => {
    const { page, members, dialog } = await openWith(1);
    const [member] = members;
    const row = page.getByRole('row').filter({ hasText: member?.Name ?? '' });
    const button = row.getByRole('button', { name: /^Actions Person 0/ });
    await button.focus();
    await page.keyboard.press('ArrowDown');
    const item = (name: string) => row.getByRole('menuitem', { name });
    const isFocused = (name: string) =>
      item(name).evaluate((element) => element === element.ownerDocument.activeElement);
    await item('Disable').waitFor();
    assert.ok(await isFocused('Disable'));
    await page.keyboard.press('ArrowDown');
    assert.ok(await isFocused('Remove'));
    await page.keyboard.press('ArrowDown');
    assert.ok(await isFocused('Disable'));
    await assertGood(page, 'row-menu');
    await page.keyboard.press('Escape');
    await item('Disable').waitFor({ state: 'detached' });
    assert.ok(await button.evaluate((element) => element === element.ownerDocument.activeElement));
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await actOn(page, member?.Name ?? '', 'Disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change was undone.').waitFor();
    await row.getByText('active', { exact: true }).waitFor();
    await row.getByText('an administrator').click();
    await page.waitForURL(`**/members/${member?.ID}`);
  });
});
