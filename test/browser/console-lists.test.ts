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
