import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, followLink, openSignedIn } from './console-page.ts';
import { heading } from './sign-in.ts';

describe('the navigation of the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Views' });

  test('the navigation shows at most nine views at once, opens the group of the view, and is used by keyboard', async () => {
    const { email, token } = await signUp(stack());
    const tenant = await createTenant(stack(), token, 'Grouped');
    const { Slug } = bodyOf(await stack().call('Tenants_Get', { Tenant: tenant }, token))[
      'Tenant'
    ] as { Slug: string };
    const page = await newPage();
    await page.setViewportSize({ width: 1280, height: 800 });
    await openSignedIn(page, `${stack().url}/console/t/${Slug}/branding`, email, password);
    const links = navigation(page).getByRole('link');
    const group = (name: string) => navigation(page).getByRole('button', { name, exact: true });
    const current = navigation(page).locator('[aria-current=page]');
    assert.deepEqual(await links.allInnerTexts(), [
      'Overview',
      'Domains',
      'Single sign-on',
      'Directory',
      'Branding',
      'Audit',
      'Settings',
    ]);
    for (const link of await links.all()) assert.ok(await link.isVisible());
    assert.equal(await current.innerText(), 'Branding');
    await assertGood(page, 'navigation');
    await group('Developers').focus();
    await page.keyboard.press('Enter');
    assert.equal(await group('Developers').getAttribute('aria-expanded'), 'true');
    assert.equal(await group('Sign-in').getAttribute('aria-expanded'), 'false');
    assert.ok((await links.count()) <= 9);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await heading(page, 'Apps'), 'Apps');
    assert.equal(await group('Developers').getAttribute('aria-expanded'), 'true');

    // On a low screen the link of the view is scrolled into sight.
    await page.setViewportSize({ width: 1280, height: 380 });
    await page.goto(`${stack().url}/console/t/${Slug}/settings`);
    await current.waitFor();
    const box = await current.boundingBox();
    assert.ok(box && box.y + box.height <= 380, JSON.stringify(box));
  });

  test('a user who may see only the second tab of a view gets there by the navigation and by the search', async () => {
    const [owner, member] = [await signUp(stack()), await signUp(stack())];
    const Tenant = await createTenant(stack(), owner.token, 'Tabs');
    const call = async (operation: string, body: object, token = owner.token) =>
      bodyOf(await stack().call(operation, body, token));
    const Permissions = ['iam.grants.read', 'iam.invitations.read'];
    await call('Roles_Save', { Role: { Tenant, Slug: 'reader', Permissions } });
    const { Token } = await call('TenantInvitations_Create', {
      Tenant,
      Email: member.email,
      Roles: ['reader'],
    });
    await call('TenantInvitations_Accept', { Token }, member.token);
    const { Slug } = (await call('Tenants_Get', { Tenant }))['Tenant'] as { Slug: string };
    const page = await newPage();
    await openSignedIn(page, `${stack().url}/console/t/${Slug}`, member.email, password);
    await followLink(page, 'Roles');
    await page.waitForURL('**/roles/grants');
    assert.equal(await heading(page, 'Grants'), 'Grants');
    await followLink(page, 'Members');
    await page.waitForURL('**/members/invitations');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search views and records' }).fill('grants');
    await page.getByRole('option', { name: 'Grants' }).click();
    await page.waitForURL('**/roles/grants');
  });
});
