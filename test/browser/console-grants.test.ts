import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn } from './console-page.ts';

describe('the grants of a tenant in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  test('grants are found by holder and by role, in an address that can be shared', async () => {
    const [owner, ben] = [await signUp(stack()), await signUp(stack())];
    const Tenant = await createTenant(stack(), owner.token);
    bodyOf(
      await stack().call('TenantMembers_Add', { Tenant, UserID: ben.id }, stack().platformKey),
    );
    const grant = { Tenant, UserID: ben.id, Role: 'auditor' };
    bodyOf(await stack().call('Grants_Add', { Grant: grant }, owner.token));
    const { Slug } = bodyOf(await stack().call('Tenants_Get', { Tenant }, owner.token))[
      'Tenant'
    ] as {
      Slug: string;
    };
    const page = await newPage();
    const views = `${stack().url}/console/t/${Slug}`;
    await openSignedIn(page, `${views}/roles`, owner.email, password);
    await page.getByRole('tab', { name: 'Grants' }).click();
    const rows = page.getByRole('table').locator('tbody tr');
    await rows.nth(2).waitFor();
    const search = page.getByRole('search');
    await search.getByRole('combobox', { name: 'Role', exact: true }).click();
    await page.getByRole('option', { name: 'Auditor' }).click();
    await page.waitForURL('**/roles/grants?of=people&role=auditor');
    await rows.nth(1).waitFor({ state: 'detached' });
    await rows.filter({ hasText: ben.email }).waitFor();
    await search.getByRole('combobox', { name: 'Person' }).fill(owner.email);
    await page.getByText('Nothing matches the search').waitFor();
    // Closes the suggestions.
    await page.keyboard.press('Escape');
    await assertGood(page, 'access-grants-none');
    await page.goBack();
    await rows.nth(2).waitFor();
    assert.equal(await search.getByRole('combobox', { name: 'Person' }).inputValue(), '');
    assert.doesNotMatch(page.url(), /holder/);

    // A part of an ID is no person yet.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.url()} ${request.postData()}`));
    await search.getByRole('combobox', { name: 'Person' }).pressSequentially('usr_0');
    const kind = search.getByLabel('Roles of');
    await kind.focus();
    await kind.selectOption('groups');
    await page.getByText('There are no grants yet').waitFor();
    assert.equal(await page.locator('select:focus').count(), 1);
    assert.deepEqual(
      asked.filter((text) => text.includes('usr_0')),
      [],
    );
    await page.goto(`${views}/grants?holder=${ben.id}`);
    await page.waitForURL(`**/roles/grants?holder=${ben.id}`);
    await rows.nth(1).waitFor();
    assert.deepEqual((await rows.locator('td:nth-child(2)').allInnerTexts()).sort(), [
      'auditor',
      'member',
    ]);
    await assertGood(page, 'access-grants');
  });
});
