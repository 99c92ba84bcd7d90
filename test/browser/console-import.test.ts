import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { bcryptHash } from '../operations/access/user-import-calls.ts';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { newAddress, password } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn, ownConsoleStack } from './console-page.ts';
import { heading } from './sign-in.ts';

// The page that moves users in.

const markup = '<img src=x onerror="document.title=1"><b>Zeta</b>';

/** The file of many users: three calls. */
const linesFor = (tag: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    JSON.stringify({ Email: `${tag}-${at}@example.com`, EmailVerified: true }),
  ).join('\n');

describe('the import in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite(ownConsoleStack);
  const { newOperator, newOwner } = supportCalls(stack);

  async function openImport(viewport = { width: 1280, height: 720 }): Promise<Page> {
    const operator = await newOperator();
    const page = await newPage({ viewport });
    const address = `${stack().url}/console/platform/import`;
    await openSignedIn(page, address, operator.email, password);
    assert.equal(await heading(page, 'Import'), 'Import');
    return page;
  }
  const choose = (page: Page, name: string, content: string | Uint8Array) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const usersLike = async (pattern: string) => {
    const users = await rowsOf<{ email: string }>(
      stack(),
      'select email from identity.user_account where email like $1',
      [pattern],
    );
    return users.length;
  };

  test('an operator checks a file, imports it into a tenant, and gets the failed users as a file', async () => {
    const { tenant } = await newOwner();
    const tag = newAddress('csv').split('@')[0];
    const csv = [
      'Email,EmailVerified,ExternalID,Name,PasswordHash,Roles,Metadata.plan',
      `${tag}-0@example.com,true,${tag}-0,"Lovelace, Ada",${bcryptHash},admin,gold`,
      `${tag}-1@example.com,true,${tag}-1,${markup.replaceAll('"', "'")},,,`,
      '',
      `${tag}-2@example.com,true,${tag}-2,Wrong,no-hash-at-all,,`,
      `${tag}-3@example.com,true`,
      `,true,${tag}-4,Nobody,,,`,
      `${tag}-0@example.com,true,${tag}-5,Twin,,,`,
    ].join('\r\n');
    const page = await openImport();
    await assertGood(page, 'import-empty');
    await choose(page, 'users.csv', `\uFEFF${csv}`);
    await page.getByText('Users: 6. With a password hash, which is never shown: 2.').waitFor();
    const first = page.getByRole('table', { name: 'First users of the file' });
    assert.match(
      await first.innerText(),
      /2\s+csv-\w+-0@example\.com\s+Lovelace, Ada\s+\S+\s+hash/,
    );
    await page.getByRole('combobox', { name: 'Organisation' }).click();
    await page.getByRole('combobox', { name: 'Organisation' }).fill('acme');
    const { body } = await stack().call('Tenants_Get', { Tenant: tenant }, stack().platformKey);
    const { Slug } = body['Tenant'] as { Slug: string };
    await page.getByRole('combobox', { name: 'Organisation' }).fill(Slug);
    await page.getByRole('option', { name: `Acme (${Slug})` }).click();
    await page.getByRole('combobox', { name: 'Roles' }).fill('auditor');
    await page.keyboard.press('Enter');
    await page.getByText(`--tenant ${tenant} --role auditor`).waitFor();

    await press(page, 'Check without importing');
    await page.getByText('The check has finished').waitFor();
    for (const text of ['Would be created: 2', 'Existing already: 0', 'Would fail: 4'])
      await page.getByText(text).waitFor();
    const failed = page.getByRole('table', { name: 'Users who failed' });
    const reasons = await failed.locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      reasons.map((reason) => reason.replaceAll(/\s+/g, ' ').replaceAll(`${tag}-`, '')),
      [
        '5 2@example.com PasswordHash has an unsupported format',
        '6 – line 6 has more or fewer columns than the first line',
        '7 – the user has no email address',
        '8 0@example.com Email is the same as in line 2',
      ],
    );
    await assertGood(page, 'import-checked');
    assert.equal(await usersLike(`${tag}%`), 0);

    await press(page, 'Import now');
    await page.getByText('The import has finished').waitFor();
    await page.getByText('Created: 2').waitFor();
    await page.getByText('New without a password, because the file has none: 1').waitFor();
    await assertGood(page, 'import-done');
    for (const secret of [bcryptHash, 'no-hash-at-all'])
      assert.ok(!(await page.content()).includes(secret));
    const downloading = page.waitForEvent('download');
    await press(page, 'Download the failed users');
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'users.csv.failed.jsonl');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    const [wrong] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(lines.length, 4);
    assert.deepEqual(
      [wrong?.['PasswordHash'], wrong?.['Verdict']],
      [
        'no-hash-at-all',
        { Line: 5, Code: 'invalid_argument', Messages: ['PasswordHash has an unsupported format'] },
      ],
    );
    const saving = page.waitForEvent('download');
    await press(page, 'Download the new users without a password');
    const passwordless = await saving;
    assert.equal(passwordless.suggestedFilename(), 'users.csv.no-password.jsonl');
    assert.match(
      readFileSync(await passwordless.path(), 'utf8'),
      new RegExp(`^{.*"Email":"${tag}-1@example.com".*"Code":"no_password".*}\n$`),
    );
    const grants = await stack().call(
      'Grants_ListByTenant',
      { Tenant: tenant },
      stack().platformKey,
    );
    const { Items } = grants.body['Page'] as { Items: Array<{ Role: string }> };
    // A user with roles of its own in the file has these.
    assert.deepEqual(Items.map(({ Role }) => Role).sort(), ['admin', 'auditor', 'owner']);

    // The corrected file, and the first one once more.
    await choose(page, 'fixed.jsonl', `${lines[0]?.replace('no-hash-at-all', bcryptHash)}\n`);
    await press(page, 'Check without importing');
    await page.getByText('Would be created: 1').waitFor();
    await press(page, 'Import now');
    await page.getByText('Created: 1').waitFor();
    await choose(page, 'users.csv', csv);
    await press(page, 'Check without importing');
    await page.getByText('Would be created: 0').waitFor();
    await page.getByText('Existing already: 2').waitFor();
    assert.equal(await usersLike(`${tag}%`), 3);
  });

  test('an import that was stopped, and then lost its connection, goes on and makes no user twice', async () => {
    const tag = newAddress('many').split('@')[0] ?? '';
    const page = await openImport();
    await choose(page, 'users.jsonl', linesFor(tag, 450));
    await press(page, 'Check without importing');
    await page.getByText('Would be created: 450').waitFor();
    // Once the page was idle it counts as idle, also while the next call is held.
    await page.waitForLoadState('networkidle');
    const keys: Array<string | undefined> = [];
    const release = Promise.withResolvers<void>();
    const arrival = Promise.withResolvers<void>();
    await page.route('**/Users_Import', async (route: Route) => {
      keys.push(route.request().headers()['idempotency-key']);
      arrival.resolve();
      await release.promise;
      await route.continue();
    });
    await press(page, 'Import now');
    await arrival.promise;
    assert.equal(
      await page.evaluate('document.activeElement.id'),
      'import-run',
      'the heading has the focus',
    );
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor({ state: 'attached' });
    assert.ok(await page.getByRole('button', { name: 'Check without importing' }).isDisabled());
    await assertGood(page, 'import-running');
    await press(page, 'Stop');
    await page.getByRole('button', { name: 'Stopping …' }).waitFor();
    release.resolve();
    await page.getByText('Not processed yet: 250').waitFor();
    const spoken = page.getByRole('status').getByText('40 %');
    await spoken.waitFor({ state: 'attached' });
    assert.equal(await usersLike(`${tag}%`), 200);
    await assertGood(page, 'import-stopped');

    // Another view, and the end of the tab, are asked about.
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Leave the import?').waitFor();
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    const question = page.waitForEvent('dialog');
    void page.close({ runBeforeUnload: true });
    const warning = await question;
    assert.equal(warning.type(), 'beforeunload');
    await warning.dismiss();

    await page.unroute('**/Users_Import');
    await page.route('**/Users_Import', (route) => route.abort());
    await press(page, 'Go on');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await assertGood(page, 'import-offline');
    await page.unroute('**/Users_Import');
    // The service has done the work, and its answer was lost.
    let lost = 0;
    await page.route('**/Users_Import', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      lost++;
      await route.abort();
    });
    await press(page, 'Go on');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    assert.ok(lost > 1, 'the client repeats a call with its key');
    assert.equal(new Set(keys.slice(1)).size, 1);
    assert.ok(keys.every((key) => key !== undefined && key !== ''));
    await page.unroute('**/Users_Import');
    await press(page, 'Go on');
    await page.getByText('The import has finished').waitFor();
    await page.getByText('Created: 450').waitFor();
    await page.getByText('Existing already: 0').waitFor();
    assert.equal(await usersLike(`${tag}%`), 450);
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await heading(page, 'Users');
  });

  test('a file that cannot be imported here is refused with the reason, and never shown', async () => {
    const page = await openImport();
    const refused: ReadonlyArray<readonly [name: string, content: string | Uint8Array, RegExp]> = [
      ['users.xlsx', 'x', /Choose a CSV file/],
      ['users.csv', 'Email,Name\n', /It has no users/],
      ['users.csv', Uint8Array.from([0x45, 0xe4, 0x0a]), /not encoded in UTF-8/],
      ['users.csv', `a@example.com,${bcryptHash}\nb@example.com,x`, /name the column Email/],
      ['users.csv', 'email;Name\na@example.com;A', /name the column Email/],
      ['users.csv', 'Email,Emial\na@example.com,A', /that no user has: Emial/],
      ['users.jsonl', '{"Email":"a@example.com","Hash":"x"}', /that no user has: Hash/],
      ['users.csv', `Email,PasswordHash\na@example.com,"${bcryptHash}`, /not valid CSV at line/],
      ['users.jsonl', `{}\n"${'x'.repeat(1_100_000)}"`, /Line 2 is larger than 1 MiB/],
      ['users.jsonl', linesFor('large', 10_001), /more than 10,000 users/],
    ];
    for (const [name, content, reason] of refused) {
      await choose(page, name, content);
      await page.getByRole('alert').getByText(reason).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Check' }).count(), 0);
      assert.ok(!(await page.content()).includes(bcryptHash));
    }
    await page.getByText('bailiwick import users.jsonl --from jsonl').waitFor();
    await assertGood(page, 'import-refused');
  });

  test('a refused, limited or failed call says what to do', async () => {
    const page = await openImport();
    await choose(page, 'users.jsonl', linesFor('never', 1));
    for (const [status, Code, title] of [
      [403, 'permission_denied', 'You may not do this'],
      [429, 'resource_exhausted', 'Too many calls'],
      [500, 'internal', 'Something went wrong on our side'],
    ] as const) {
      await page.route('**/Users_Import', (route) =>
        route.fulfill({
          status,
          headers: { 'retry-after': '30' },
          json: { Code, Message: 'no', Messages: ['no'] },
        }),
      );
      await press(page, 'Check without importing');
      await page.getByRole('alert').getByText(title).first().waitFor();
      await page.unroute('**/Users_Import');
    }
    await assertGood(page, 'import-failed');
    await press(page, 'Go on');
    await page.getByText('Would be created: 1').waitFor();
  });

  test('a file is checked and imported by keyboard, on a phone', async () => {
    const tag = newAddress('phone').split('@')[0] ?? '';
    const page = await openImport({ width: 360, height: 740 });
    await choose(page, 'users.jsonl', linesFor(tag, 3));
    await page.getByRole('button', { name: 'Check without importing' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Would be created: 3').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The import has finished').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    await assertGood(page, 'import-phone');
    assert.equal(await usersLike(`${tag}%`), 3);
  });

  test('an operator who may not write users does not see the page', async () => {
    const operator = await newOperator('platform-support');
    const page = await newPage();
    const address = `${stack().url}/console/platform/import`;
    await openSignedIn(page, address, operator.email, password);
    await heading(page, 'You may not see this view');
    const links = page.getByRole('navigation', { name: 'Views' });
    await links.getByRole('link', { name: 'Users' }).waitFor();
    assert.equal(await links.getByRole('link', { name: 'Import' }).count(), 0);
  });
});
