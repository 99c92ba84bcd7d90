import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn } from './console-page.ts';

describe('the audit in the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let tenant: string;
  let address: string;
  let email: string;
  let token: string;
  const problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}`;
    await buildConsole(assert.fail);
    const settings = { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' };
    stack = await startStack('one process', settings, { ports });
    browser = await openBrowser();
    ({ email, token } = await signUp(stack));
    tenant = await createTenant(stack, token, '<b>Acme</b>');
    const { Slug } = bodyOf(await stack.call('Tenants_Get', { Tenant: tenant }, token))[
      'Tenant'
    ] as { Slug: string };
    address = `${base}/console/t/${Slug}/audit`;
    for (const path of ['a', 'b', 'c']) await save(tenant, path);
    for (let count = 0; count < 28; count++) await save(tenant, `many-${count}`);
    const stranger = await signUp(stack);
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'x' } }, stranger.token);
    await eventually('the entries', async () => (await entries('true')) > 30);
    await eventually('the denied call', async () => (await entries("result = 'denied'")) === 1);
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });
  afterEach(() => assert.deepEqual(problems.splice(0), []));

  const save = (Tenant: string, Path: string) =>
    stack.call('Groups_Save', { Group: { Tenant, Path } }, token);
  const entries = (which: string) =>
    countOf(stack, `access.audit_entry where tenant = $1 and ${which}`, [tenant]);
  const open = async (at: string, options = {}) => {
    const page = await newConsolePage(browser, base, problems, options);
    await openSignedIn(page, at, email, password);
    return page;
  };
  const rows = (page: Page) => page.locator('[data-entry]');
  const chips = (page: Page) => page.getByRole('group', { name: 'Filters' });
  /** Types into the search, and chooses one of its suggestions. */
  const search = async (page: Page, text: string, suggestion: string) => {
    const field = page.getByRole('combobox', { name: 'Search' });
    await field.click();
    await field.fill(text);
    await page.getByRole('option', { name: suggestion, exact: true }).click();
  };

  test('an administrator filters the audit, shares the address, and sees all of an entry', async () => {
    const page = await open(address);
    await rows(page).nth(24).waitFor();
    const me = bodyOf(await stack.call('Account_Get', {}, token))['User'] as { Name: string };
    assert.match(await rows(page).nth(3).innerText(), new RegExp(`${me.Name || email} created`));
    assert.equal(await page.getByRole('heading', { level: 2 }).count(), 1);
    await assertGood(page, 'audit');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL('**cursor=*');
    const foreign = page.url();
    await search(page, 'den', 'denied');
    await page.waitForURL('**result=denied*');
    await page.reload();
    await chips(page).getByRole('button', { name: 'Remove: Result: denied' }).waitFor();
    await rows(page).first().waitFor();
    assert.equal(await rows(page).count(), 1);
    await rows(page).filter({ hasText: 'was refused Groups_Save' }).click();
    const details = page.getByRole('dialog');
    await details.getByText('access.denied', { exact: true }).waitFor();
    await assertGood(page, 'audit-entry');
    await details.getByRole('button', { name: 'Only these: Actor' }).click();
    await page.waitForURL('**actor=usr_*');
    await search(page, '198.51.100.1', 'From the address 198.51.100.1');
    await page.getByText('No entry matches the filters').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).first().click();
    await page.getByLabel('Order').selectOption('oldest');
    await page.waitForURL('**order=oldest*');
    await rows(page).filter({ hasText: 'created the organisation <b>Acme</b>' }).waitFor();
    await page.goto(`${address}?target=&action=group.created&order=oldest`);
    await rows(page).nth(24).waitFor();
    await page.goto(`${address}?action=tenant.created`);
    await rows(page).filter({ hasText: '<b>Acme</b>' }).waitFor();
    // A cursor of another list is refused, with its reason.
    await page.goto(`${foreign}&result=denied`);
    await page.getByText('Page.Cursor is not a cursor of this list').waitFor();
  });

  test('an administrator finds entries by a person’s name and a period, and saves the view', async () => {
    const page = await open(address);
    await rows(page).nth(24).waitFor();
    await page.getByRole('combobox', { name: 'Search' }).fill(email.slice(0, 6));
    await page.getByRole('option').filter({ hasText: email }).click();
    await page.waitForURL('**actor=usr_*');
    await search(page, '', 'Last 24 hours');
    await page.waitForURL('**from=*');
    await search(page, 'group.created', 'group.created');
    await page.waitForURL('**action=group.created*');
    await rows(page).nth(24).waitFor();
    assert.equal(
      await chips(page)
        .getByRole('button', { name: /^Remove/ })
        .count(),
      3,
    );
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('New groups');
    await assertGood(page, 'audit-save-view');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'New groups' }).waitFor();
    const saved = new URL(page.url()).search;
    await chips(page)
      .getByRole('button', { name: /^Remove: Action/ })
      .click();
    await page.waitForURL((url) => !url.search.includes('action='));
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'New groups' }).click();
    await page.waitForURL((url) => url.search === saved);
    await rows(page).nth(24).waitFor();
    await assertGood(page, 'audit-chips');
    await page.getByRole('button', { name: 'New groups' }).click();
    await page.getByRole('menuitem', { name: 'Remove New groups' }).click();
    await page.getByRole('button', { name: 'Views' }).waitFor();
  });

  test('the overview counts the tenant’s records, and a figure that fails hides no other', async () => {
    const page = await newConsolePage(browser, base, problems);
    await page.route('**/Bots_GetCounts', (route) =>
      route.fulfill({ status: 403, body: '{"Code":"permission_denied","Messages":[]}' }),
    );
    await openSignedIn(page, address.replace('/audit', ''), email, password);
    const figures = page.getByRole('region', { name: 'Figures' });
    const figure = (title: string) => figures.locator(`[data-figure="${title}"]`);
    await figure('Groups').getByText('31', { exact: true }).waitFor();
    await figure('Members').getByText('1', { exact: true }).waitFor();
    await figure('Bots').getByText('not available').waitFor();
    await assertGood(page, 'overview-figures');
    await figures.getByRole('link', { name: 'Refused calls today' }).click();
    await page.waitForURL('**result=denied*');
    await rows(page).filter({ hasText: 'was refused' }).waitFor();
  });

  test('an administrator exports the filtered entries', async () => {
    const page = await open(`${address}?action=group.created`);
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV for spreadsheets' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'audit.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(lines.length, 32);
    assert.ok(lines.slice(1).every((line) => line.includes('group.created')));
  });

  test('the verification says that the chain is intact, that it is past an anchor, and that it is broken', async () => {
    const page = await open(`${address}?panel=verify`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Get an anchor of now' }).click();
    const anchor = await dialog.locator('pre').innerText();
    await dialog.getByLabel('Anchor', { exact: true }).first().fill(anchor);
    await dialog.getByRole('button', { name: 'Verify all entries' }).click();
    await dialog.getByText('The chain is intact').waitFor();
    await dialog.getByText(/^The entries up to the anchor of .* are unchanged\.$/).waitFor();
    await assertGood(page, 'audit-intact');
    await rowsOf(
      stack,
      "update access.audit_entry set action = 'group.deleted' where tenant = $1 and seq = 5",
      [tenant],
    );
    await dialog.getByRole('button', { name: 'Verify all entries' }).click();
    await dialog.getByText('The chain is broken').waitFor();
    await dialog.getByText(/^Entry 5: changed/).waitFor();
    await assertGood(page, 'audit-broken');
    await dialog.getByLabel('Anchor', { exact: true }).first().fill('forged');
    await dialog.getByRole('button', { name: 'Verify all entries' }).click();
    await dialog.getByText(/^Anchor was not made by this installation/).waitFor();
  });

  test('the audit fits German and narrow screens, and other tenants’ audits do not exist', async () => {
    const page = await open(address, { viewport: { width: 360, height: 800 } });
    await page.goto(`${address}?ui_locale=de`);
    await page.getByRole('heading', { level: 1, name: 'Protokoll' }).waitFor();
    await assertGood(page, 'audit-de');
    const other = await signUp(stack);
    const foreign = await createTenant(stack, other.token, 'Foreign');
    const { Slug } = bodyOf(await stack.call('Tenants_Get', { Tenant: foreign }, other.token))[
      'Tenant'
    ] as { Slug: string };
    await page.goto(`${base}/console/t/${Slug}/audit?ui_locale=en`);
    await page.getByText('There is no such view').waitFor();
  });
});
