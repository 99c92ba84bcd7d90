import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { eventually } from '../support/harness.ts';
import { createTenant, newAddress, password, signUp } from '../support/people.ts';
import { countOf } from '../support/store.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn } from './console-page.ts';

describe('the lists of the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  /** A tenant with these members beside its owner, and a page of its console. */
  async function openWith(names: readonly string[], options = {}) {
    const owner = await signUp(stack());
    const Tenant = await createTenant(stack(), owner.token);
    const answer = await stack().call('Tenants_Get', { Tenant }, owner.token);
    const { Slug } = bodyOf(answer)['Tenant'] as { Slug: string };
    for (const Name of names) {
      const User = { Name, Email: newAddress('listed') };
      const created = bodyOf(await stack().call('Users_Create', { User }, stack().platformKey));
      const { ID: UserID } = created['User'] as { ID: string };
      bodyOf(await stack().call('TenantMembers_Add', { Tenant, UserID }, stack().platformKey));
    }
    const unknown = 'access.tenant_member where tenant = $1 and described_at is null';
    await eventually('the names', async () => (await countOf(stack(), unknown, [Tenant])) === 0);
    const page = await newPage(options);
    const views = `${stack().url}/console/t/${Slug}`;
    await openSignedIn(page, `${views}/members`, owner.email, password);
    return { page, views, Tenant, owner };
  }

  const rowsOf = (page: Page) => page.getByRole('table').locator('tbody tr');
  const search = (page: Page) => page.getByRole('searchbox');

  test('members are searched, filtered and sorted in an address that can be shared', async () => {
    const { page, views } = await openWith(['Zoe Adams', 'Ada Lovelace', 'Grace Hopper']);
    await rowsOf(page).nth(3).waitFor();
    await search(page).fill('ad');
    await page.waitForURL('**/members?query=ad');
    await rowsOf(page).filter({ hasText: 'Grace' }).waitFor({ state: 'detached' });
    assert.equal(await rowsOf(page).count(), 2);
    await page.getByRole('button', { name: 'Person', exact: true }).click();
    await page.waitForURL('**/members?query=ad&sort=name');
    await rowsOf(page).first().filter({ hasText: 'Ada' }).waitFor();
    await page.getByRole('button', { name: 'Person', exact: true }).focus();
    await page.keyboard.press('Enter');
    await rowsOf(page).first().filter({ hasText: 'Zoe' }).waitFor();
    assert.equal(
      await page.getByRole('columnheader', { name: 'Person' }).getAttribute('aria-sort'),
      'descending',
    );
    await assertGood(page, 'members-searched');

    const shared = await page.context().newPage();
    await shared.goto(page.url());
    await rowsOf(shared).first().filter({ hasText: 'Zoe' }).waitFor();
    assert.equal(await search(shared).inputValue(), 'ad');
    await shared.close();

    await search(page).fill('%');
    await page.getByText('Nothing matches the search').waitFor();
    await assertGood(page, 'members-no-match');
    await page.goto(`${views}/members?source=creator`);
    await rowsOf(page).first().waitFor();
    assert.equal(await rowsOf(page).count(), 1);
    await page.getByLabel('State').selectOption('pending');
    await page.getByText('Nothing matches the search').waitFor();
  });

  test('pages are turned by keyboard and by the browser, and the selection is of several pages', async () => {
    const names = Array.from({ length: 27 }, (_, at) => `Person ${String(at).padStart(2, '0')}`);
    const { page } = await openWith(names);
    const pager = page.getByRole('navigation', { name: 'Pages' });
    const button = (name: string) => pager.getByRole('button', { name });
    const hasFocus = (name: string) =>
      button(name).evaluate((element) => element === element.ownerDocument.activeElement);
    const bar = page.getByRole('region', { name: 'Selection' });
    const box = (at: number) => rowsOf(page).nth(at).getByRole('checkbox');
    await pager.getByText('1–25', { exact: true }).waitFor();
    assert.equal(await button('First page').getAttribute('aria-disabled'), 'true');
    // The bar takes the place of the header: no row moves.
    const before = await rowsOf(page).first().boundingBox();
    await box(0).check();
    await bar.waitFor();
    assert.deepEqual(await rowsOf(page).first().boundingBox(), before);
    await box(1).check();

    await button('Next page').focus();
    await page.keyboard.press('Enter');
    await pager.getByText('26–28 of 28', { exact: true }).waitFor();
    // The focus stays where it was, also on the last page.
    assert.ok(await hasFocus('Next page'));
    assert.equal(await button('Next page').getAttribute('aria-disabled'), 'true');
    await box(2).check();
    await bar.getByText('3 selected').waitFor();
    await assertGood(page, 'members-pages');

    await button('Previous page').focus();
    await page.keyboard.press('Enter');
    await pager.getByText('1–25', { exact: true }).waitFor();
    assert.ok(await hasFocus('First page'));
    assert.ok(await box(0).isChecked());
    assert.ok(await box(1).isChecked());
    assert.equal(await box(2).isChecked(), false);
    await page.goBack();
    await pager.getByText('26–28 of 28', { exact: true }).waitFor();
    await button('Previous page').waitFor();
    assert.ok(await box(2).isChecked());
    await bar.getByRole('button', { name: 'Clear selection' }).click();
    await bar.waitFor({ state: 'detached' });
    assert.ok(await page.getByRole('table').evaluate((list) => list.matches(':focus')));

    // The pages before that of a shared address are not known.
    await page.reload();
    await pager.getByText('3 on this page').waitFor();
    await button('First page').click();
    await pager.getByText('1–25', { exact: true }).waitFor();
  });

  test('a long name and address stay in one line, and their whole text is shown by pointer and by focus', async () => {
    const long = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(3).trim();
    const { page } = await openWith([long]);
    const row = rowsOf(page).filter({ hasText: 'Wolfeschlegel' });
    const box = await row.boundingBox();
    assert.ok(box && box.height <= 45, JSON.stringify(box));
    const link = row.getByRole('link');
    assert.equal(await link.getAttribute('title'), null);
    await link.hover();
    assert.equal(await link.getAttribute('title'), long);
    // A text that fits needs no title.
    await link.evaluate(({ style }) => style.setProperty('font-size', '1px'));
    await row.getByRole('checkbox').hover();
    assert.equal(await link.getAttribute('title'), null);
    await link.evaluate(({ style }) => style.removeProperty('font-size'));
    await row.getByRole('checkbox').focus();
    await page.keyboard.press('Tab');
    const tip = page.locator('.console-full-text');
    await tip.filter({ hasText: long }).waitFor();
    await assertGood(page, 'members-long');
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'detached' });
  });

  test('on a phone a list is sorted without its header', async () => {
    const viewport = { width: 360, height: 740 };
    const { page } = await openWith(['Zoe Adams', 'Ada Lovelace'], { viewport });
    const order = page.getByRole('combobox', { name: 'Sort by' });
    await order.selectOption('Person, ascending');
    await page.waitForURL('**/members?sort=name');
    // The owner has no name yet.
    await rowsOf(page).nth(1).filter({ hasText: 'Ada' }).waitFor();
    await order.selectOption('Person, descending');
    await rowsOf(page).first().filter({ hasText: 'Zoe' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('region', { name: 'Selection' }).getByText('3 selected').waitFor();
    await assertGood(page, 'members-phone');
    // The bar covers the order.
    assert.equal(await order.count(), 0);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await order.selectOption('Sort by');
    await page.waitForURL(/\/members$/);
  });

  test('groups, bots and invitations are searched at a narrow width', async () => {
    const viewport = { width: 360, height: 740 };
    const { page, views, Tenant, owner } = await openWith([], { viewport });
    for (const Path of ['eng', 'sales'])
      bodyOf(await stack().call('Groups_Save', { Group: { Tenant, Path } }, owner.token));
    for (const Name of ['deploy', 'report'])
      bodyOf(await stack().call('Bots_Save', { Bot: { Tenant, Name } }, owner.token));
    for (const Email of ['guest@example.org', 'other@example.org'])
      bodyOf(await stack().call('TenantInvitations_Create', { Tenant, Email }, owner.token));
    for (const [view, query, match] of [
      ['groups', 'sal', 'sales'],
      ['bots', 'rep', 'report'],
      ['invitations', 'gue', 'guest@example.org'],
    ] as const) {
      await page.goto(`${views}/${view}`);
      // Groups are a tree until they are searched.
      const all = view === 'groups' ? page.getByRole('treeitem') : rowsOf(page);
      await all.nth(1).waitFor();
      await search(page).fill(query);
      await all.nth(1).waitFor({ state: 'detached' });
      await rowsOf(page).filter({ hasText: match }).waitFor();
      await assertGood(page, `${view}-searched`);
    }
  });
});
