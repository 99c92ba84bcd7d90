import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { withoutChromium } from './chromium.ts';
import { actOn, assertGood, consoleSuite, openSignedIn } from './console-page.ts';

// Groups, roles and grants of a tenant in the console, and the questions why and what if.

describe('access in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  async function openAs(owner: { email: string; token: string }, Tenant: string, view: string) {
    const answer = await stack().call('Tenants_Get', { Tenant }, owner.token);
    const { Slug } = bodyOf(answer)['Tenant'] as { Slug: string };
    const page = await newPage();
    const views = `${stack().url}/console/t/${Slug}`;
    await openSignedIn(page, `${views}/${view}`, owner.email, password);
    return { page, views };
  }

  test('an administrator gives a group a role, sees why a person may do something, and what a removal takes away', async () => {
    const [owner, ben] = [await signUp(stack()), await signUp(stack())];
    const Tenant = await createTenant(stack(), owner.token);
    bodyOf(
      await stack().call('TenantMembers_Add', { Tenant, UserID: ben.id }, stack().platformKey),
    );
    const { page, views } = await openAs(owner, Tenant, 'roles');
    await page.getByRole('button', { name: 'Add a role' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Short name').fill('report editor');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a short name').waitFor();
    await dialog.getByLabel('Short name').fill('report-editor');
    await dialog.getByRole('combobox', { name: 'Permissions' }).fill('app.reports.*');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Description').click();
    await assertGood(page, 'access-role');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'report-editor' }).waitFor();
    await assertGood(page, 'access-roles');

    // The short name of another role is refused, instead of changing that role.
    await page.getByRole('button', { name: 'Add a role' }).click();
    await dialog.getByLabel('Short name').fill('report-editor');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('There is one with this name already.').waitFor();
    await page.keyboard.press('Escape');

    await page.goto(`${views}/groups`);
    for (const path of ['engineering', 'engineering/platform']) {
      await page.getByRole('button', { name: 'Add a group' }).first().click();
      await dialog.getByLabel('Path').fill(path);
      await dialog.getByRole('button', { name: 'Add a group' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
    await assertGood(page, 'access-groups');
    await page.goto(`${views}/grants?of=groups`);
    await page.getByText('There are no grants yet').waitFor();
    await page.getByRole('button', { name: 'Give a role' }).click();
    await dialog.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'engineering', exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'report-editor' }).click();
    await dialog.getByText('No permission changes by this.').waitFor();
    await dialog.getByRole('button', { name: 'Give a role' }).click();
    await page.getByRole('row').filter({ hasText: 'report-editor' }).waitFor();

    await page.goto(`${views}/groups`);
    await page.getByRole('treeitem', { name: 'platform' }).click();
    const person = page.getByRole('combobox', { name: 'Add a person' });
    await person.fill('stranger@example.com');
    await page.getByText('There is no such person').waitFor();
    await person.fill(ben.email.slice(0, 12));
    await page.getByRole('option', { name: ben.email }).click();
    await page.getByText('These would gain').waitFor();
    await assertGood(page, 'access-group');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row').filter({ hasText: ben.email }).waitFor();

    await page.goto(`${views}/why`);
    await page.getByRole('combobox', { name: 'Person or bot' }).fill(ben.email);
    await page.getByRole('combobox', { name: 'Permission' }).fill('app.reports.delete');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Yes, this is allowed').waitFor();
    const way = page.getByRole('list', { name: 'The way to this permission' });
    for (const name of [ben.email, 'engineering/platform', 'report-editor', 'app.reports.*'])
      await way.getByText(name).waitFor();
    await assertGood(page, 'access-why');

    await page.goto(`${views}/grants?of=groups`);
    await actOn(page, 'report-editor', 'Remove: report-editor');
    await dialog.getByText('These would lose').waitFor();
    await dialog.getByText(ben.email).waitFor();
    await assertGood(page, 'access-what-if');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no grants yet').waitFor();
    const ask = { Tenant, Subject: ben.id, Permission: 'app.reports.delete' };
    const { Allowed } = bodyOf(await stack().call('Access_Check', ask, owner.token));
    assert.equal(Allowed, false);
  });

  test('the tree of groups is used by keyboard, and shows thousands of groups a part at a time', async () => {
    const [owner, other] = [await signUp(stack()), await signUp(stack())];
    const Tenant = await createTenant(stack(), owner.token);
    const theirs = await createTenant(stack(), other.token);
    const save = (tenant: string, Path: string, token: string) =>
      stack()
        .call('Groups_Save', { Group: { Tenant: tenant, Path } }, token)
        .then(bodyOf);
    for (const path of ['eng/backend/payments', 'eng', 'sales'])
      await save(Tenant, path, owner.token);
    await save(theirs, 'secret', other.token);
    const fill = (from: number, to: number) =>
      rowsOf(
        stack(),
        `insert into access.group_entry (tenant, id, path, key, ancestor_keys, name, description, external_id, source, metadata, created_at, updated_at)
         select $1, 'grp_' || n, 'sales/' || n, 'sales/' || n, array['sales', 'sales/' || n], '', '', '', '', '{}', now(), now() from generate_series($2::int, $3::int) n`,
        [Tenant, from, to],
      );
    await fill(1, 1000);
    const { page, views } = await openAs(owner, Tenant, 'groups');
    const treeItem = (name: string) => page.getByRole('treeitem', { name });
    const focused = () => page.locator('[role=treeitem]:focus').innerText();
    await treeItem('eng').first().waitFor();
    await assertGood(page, 'access-tree');
    await treeItem('eng').first().focus();
    assert.equal(await page.getByRole('treeitem', { name: 'backend' }).count(), 1);
    await page.keyboard.press('ArrowLeft');
    assert.equal(await treeItem('eng').first().getAttribute('aria-expanded'), 'false');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.match(await focused(), /backend/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.match(await focused(), /payments/);
    await page.keyboard.press('ArrowLeft');
    assert.match(await focused(), /backend/);
    await page.keyboard.press('End');
    assert.match(await focused(), /and 900 more/);
    await page.keyboard.press('Enter');
    await treeItem('and 800 more').waitFor();
    await page.keyboard.press('Home');
    assert.match(await focused(), /eng/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/groups?group=eng');
    assert.equal(await treeItem('secret').count(), 0);

    // More than 2,000 groups are a list by cursor.
    await fill(1001, 2000);
    await page.goto(`${views}/groups`);
    await page.getByRole('table', { name: 'Groups' }).waitFor();
    assert.equal(await page.getByRole('tree').count(), 0);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL('**/groups?cursor=*');
  });

  test('two administrators who edit one role see both versions, and lose neither', async () => {
    const owner = await signUp(stack());
    const Tenant = await createTenant(stack(), owner.token);
    const save = async (Permissions: string[]) =>
      bodyOf(
        await stack().call(
          'Roles_Save',
          { Role: { Tenant, Slug: 'ops', Permissions } },
          owner.token,
        ),
      );
    await save(['app.a.read']);
    const { page } = await openAs(owner, Tenant, 'roles');
    await actOn(page, 'ops', 'Edit: ops');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('mine');
    await save(['app.b.read']);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const conflict = dialog.getByRole('alert');
    await conflict.getByText('app.b.read').waitFor();
    await assertGood(page, 'access-conflict');
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await dialog.getByLabel('Description').fill('mine again');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const stored = bodyOf(await stack().call('Roles_Get', { Tenant, Slug: 'ops' }, owner.token));
    const { Description, Permissions } = stored['Role'] as {
      Description: string;
      Permissions: string[];
    };
    assert.deepEqual([Description, Permissions], ['mine again', ['app.b.read']]);
  });

  test('the pages of a group, a role and a bot show and change who has what', async () => {
    const [owner, ben] = [await signUp(stack()), await signUp(stack())];
    const Tenant = await createTenant(stack(), owner.token);
    bodyOf(
      await stack().call('TenantMembers_Add', { Tenant, UserID: ben.id }, stack().platformKey),
    );
    const make = async (operation: string, body: object) =>
      bodyOf(await stack().call(operation, body, owner.token));
    for (const Path of ['sales', 'sales/emea'])
      await make('Groups_Save', { Group: { Tenant, Path } });
    await make('Groups_AddMember', { Tenant, Group: 'sales/emea', UserID: ben.id });
    await make('Roles_Save', { Role: { Tenant, Slug: 'editor', Permissions: ['app.notes.*'] } });
    const { ID: bot } = (await make('Bots_Save', { Bot: { Tenant, Name: 'Importer' } }))['Bot'] as {
      ID: string;
    };
    const { page, views } = await openAs(owner, Tenant, 'groups?group=sales');
    const dialog = page.getByRole('dialog');
    const section = (name: string) => page.getByRole('region', { name });
    await section('Subgroups').getByRole('link', { name: 'sales/emea' }).waitFor();
    await page.getByRole('button', { name: 'Give a role' }).click();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'editor' }).click();
    await dialog.getByRole('button', { name: 'Give a role' }).click();
    await section('Roles').getByRole('row').filter({ hasText: 'editor' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.getByLabel('Name').fill('Sales');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.getByRole('button', { name: 'Add a subgroup' }).click();
    assert.equal(await dialog.getByLabel('Path').inputValue(), 'sales/');
    await dialog.getByLabel('Path').fill('sales/apac');
    await dialog.getByRole('button', { name: 'Add a group' }).click();
    await section('Subgroups').getByRole('link', { name: 'sales/apac' }).waitFor();
    await assertGood(page, 'access-group-page');
    await section('Subgroups').getByRole('link', { name: 'sales/apac' }).click();
    await page.locator('h1:focus').filter({ hasText: 'sales/apac' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();

    await section('Roles').getByRole('link', { name: 'editor' }).click();
    await page.getByRole('heading', { level: 1, name: 'editor' }).waitFor();
    await section('Who has this role').getByLabel('Roles of').selectOption('groups');
    await section('Who has this role').getByRole('link', { name: 'sales' }).waitFor();
    await section('Who has this role').getByLabel('Roles of').selectOption('bots');
    await page.getByText('This role is not granted directly here.').waitFor();
    await page.getByRole('button', { name: 'Give a role' }).click();
    await dialog.getByRole('combobox', { name: 'Bot' }).click();
    await page.getByRole('option', { name: 'Importer' }).click();
    await dialog.getByText('These would gain').waitFor();
    await dialog.getByRole('button', { name: 'Give a role' }).click();
    await section('Who has this role').getByRole('link', { name: 'Importer' }).waitFor();
    await assertGood(page, 'access-role-page');

    await section('Who has this role').getByRole('link', { name: 'Importer' }).click();
    await page.waitForURL(`**/bots/${bot}/roles`);
    await section('Permissions in effect').getByRole('button', { name: 'app.notes.*' }).waitFor();
    await assertGood(page, 'access-bot-roles');
    await page.goto(`${views}/why`);
    await page.getByRole('combobox', { name: 'Permission' }).fill('app.notes.write');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const holders = page.getByRole('region', { name: 'Who may do this' });
    await holders.getByRole('link', { name: 'Importer' }).waitFor();
    await holders.getByRole('link', { name: ben.email }).waitFor();
    assert.equal(await holders.getByRole('link').count(), 2);
    await assertGood(page, 'access-who-may');
    await page.goto(`${views}/roles?role=nothing`);
    await page.getByText('This role does not exist.').waitFor();
    await page.goto(`${views}/groups?group=nothing`);
    await page.getByText('This group does not exist.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('treeitem', { name: 'Sales' }).first().waitFor();
  });

  test('a group with a long path lists the groups below it, and none beside it', async () => {
    const owner = await signUp(stack());
    const Tenant = await createTenant(stack(), owner.token);
    const long = `${'x'.repeat(40)}/${'y'.repeat(40)}`;
    for (const Path of [long, `${long}/below`, `${long}z/beside`])
      bodyOf(await stack().call('Groups_Save', { Group: { Tenant, Path } }, owner.token));
    const { page } = await openAs(owner, Tenant, `groups?group=${encodeURIComponent(long)}`);
    const subgroups = page.getByRole('region', { name: 'Subgroups' });
    await subgroups.getByRole('link', { name: `${long}/below` }).waitFor();
    assert.equal(await subgroups.getByRole('link').count(), 1);
  });

  test('a group lists the groups below it also behind pages of groups that have its path inside', async () => {
    const owner = await signUp(stack());
    const Tenant = await createTenant(stack(), owner.token);
    const beside = Array.from({ length: 30 }, (_, at) => `apac/emea/n${at}`);
    for (const Path of [...beside, 'emea', 'emea/north', 'emea/north/below'])
      bodyOf(await stack().call('Groups_Save', { Group: { Tenant, Path } }, owner.token));
    const { page, views } = await openAs(owner, Tenant, 'groups?group=emea');
    const subgroups = page.getByRole('region', { name: 'Subgroups' });
    await subgroups.getByRole('link', { name: 'emea/north', exact: true }).waitFor();
    assert.equal(await subgroups.getByRole('link').count(), 2);
    await page.goto(`${views}/groups?group=emea/north/below`);
    await subgroups.getByText('There are no groups below this one.').waitFor();
  });
});
