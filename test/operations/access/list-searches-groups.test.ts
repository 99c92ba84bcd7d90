import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readPage } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { type Row, type Searches, startSearches } from './list-search-calls.ts';

describeOne('searches in lists of groups, bots and invitations', 'one process', (topology) => {
  let on: Searches;
  before(async () => {
    on = await startSearches(topology);
  });
  after(() => on?.stop());

  test('Groups_List and Groups_ListByTenant find groups by name and path', async () => {
    const { stack, token, list } = on;
    const tenant = await createTenant(stack, token);
    const groups = [
      { Path: 'eng', Name: 'Engineering' },
      { Path: 'eng/Backend', Name: 'Storage and Search' },
      { Path: 'sales', Name: 'Sales' },
      { Path: 'england', Name: '' },
    ];
    for (const Group of groups)
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, ...Group } }, token));
    for (const operation of ['Groups_List', 'Groups_ListByTenant']) {
      const find = async (request: object, limit = 1) =>
        (await list(operation, { Tenant: tenant, ...request }, limit)).map(({ Path }) => Path);
      assert.deepEqual(await find({ Query: 'ENG', Sort: 'path' }), [
        'eng',
        'eng/Backend',
        'england',
      ]);
      assert.deepEqual(await find({ Query: 'back' }), ['eng/Backend']);
      assert.deepEqual(await find({ Query: 'search' }), ['eng/Backend']);
      assert.deepEqual(await find({ Query: 'eng/b' }), ['eng/Backend']);
      assert.deepEqual(await find({ Query: 'g/back' }), ['eng/Backend']);
      assert.deepEqual(await find({ Query: 'age and' }), ['eng/Backend']);
      assert.deepEqual(await find({ Query: 'e%' }), []);
      assert.deepEqual(await find({ Query: 'eng%' }), []);
      assert.deepEqual(await find({ Sort: 'name' }), ['england', 'eng', 'sales', 'eng/Backend']);
      assert.deepEqual(await find({ Sort: 'created', Descending: true }), [
        'england',
        'sales',
        'eng/Backend',
        'eng',
      ]);
      assert.deepEqual(await find({ Query: 'eng', To: '2020-01-01T00:00:00Z' }), []);
    }
  });

  test('Groups_ListMembers finds members with the right to read users only', async () => {
    const { stack, token, Tenant, idOf, idsOf, list } = on;
    for (const Path of ['team', 'team/below'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, token));
    const enter = async (Group: string, name: string) =>
      bodyOf(await stack.call('Groups_AddMember', { Tenant, Group, UserID: idOf(name) }, token));
    await enter('team', 'ada');
    await enter('team', 'bobby');
    await enter('team/below', 'zo');
    const find = async (request: object) =>
      (
        await list<string>('Groups_ListMembers', { Tenant, Group: 'team', ...request }, 1)
      ).toSorted();
    assert.deepEqual(await find({ Query: 'ada' }), idsOf(['ada']));
    assert.deepEqual(await find({ Query: 'ada', Effective: true }), idsOf(['ada', 'zo']));
    assert.deepEqual(await find({ Query: 'grace', Effective: true }), []);
    assert.deepEqual(await find({ Sort: 'name' }), idsOf(['ada', 'bobby']));
    const byEmail = { Tenant, Group: 'team', Sort: 'email', Effective: true };
    assert.deepEqual(
      await list<string>('Groups_ListMembers', byEmail, 1),
      ['ada', 'bobby', 'zo'].map(idOf),
    );
    const reader = await signUp(stack);
    const Role = { Tenant, Slug: `groups-${on.part}`, Name: 'G', Permissions: ['iam.groups.read'] };
    bodyOf(await stack.call('Roles_Save', { Role }, token));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: reader.id }, stack.platformKey));
    const grant = (role: string) => ({ Grant: { Tenant, UserID: reader.id, Role: role } });
    bodyOf(await stack.call('Grants_Remove', grant('member'), token));
    bodyOf(await stack.call('Grants_Add', grant(Role.Slug), token));
    const request = { Tenant, Group: 'team' };
    bodyOf(await stack.call('Groups_ListMembers', request, reader.token));
    for (const search of [{ Query: 'a' }, { Sort: 'name' }, { Descending: true }])
      assertRefused(
        await stack.call('Groups_ListMembers', { ...request, ...search }, reader.token),
        403,
        'permission_denied',
      );
  });

  test('Bots_List and TenantInvitations_List search, filter and sort', async () => {
    const { stack, token, list } = on;
    const tenant = await createTenant(stack, token);
    for (const [Name, Active] of [
      ['deploy main', true],
      ['Deploy Other', false],
      ['zeta', true],
    ] as const)
      bodyOf(await stack.call('Bots_Save', { Bot: { Tenant: tenant, Name, Active } }, token));
    const bots = async (request: object) =>
      (await list('Bots_List', { Tenant: tenant, ...request }, 1)).map(({ Name }) => Name);
    assert.deepEqual(await bots({ Query: 'deploy', Sort: 'name' }), [
      'deploy main',
      'Deploy Other',
    ]);
    assert.deepEqual(await bots({ Query: 'oth' }), ['Deploy Other']);
    assert.deepEqual(await bots({ Status: 'disabled' }), ['Deploy Other']);
    assert.deepEqual(await bots({ Status: 'active', Sort: 'name', Descending: true }), [
      'zeta',
      'deploy main',
    ]);
    for (const name of ['b', 'a', 'c'])
      bodyOf(
        await stack.call(
          'TenantInvitations_Create',
          { Tenant: tenant, Email: `${name}.${on.part}@example.org` },
          token,
        ),
      );
    bodyOf(
      await stack.call(
        'TenantInvitations_Delete',
        { Tenant: tenant, Email: `c.${on.part}@example.org` },
        token,
      ),
    );
    const invitations = async (request: object) =>
      (await list('TenantInvitations_List', { Tenant: tenant, ...request }, 1)).map(
        ({ Email }) => Email[0],
      );
    assert.deepEqual(await invitations({ Sort: 'email' }), ['a', 'b', 'c']);
    assert.deepEqual(await invitations({ Sort: 'created' }), ['b', 'a', 'c']);
    assert.deepEqual(await invitations({ Status: 'pending' }), ['a', 'b']);
    assert.deepEqual(await invitations({ Status: 'pending', Descending: true }), ['b', 'a']);
    assert.deepEqual(await invitations({ Status: 'revoked', Query: 'C' }), ['c']);
    assert.deepEqual(await invitations({ Status: 'expired' }), []);
    await rowsOf(
      stack,
      `update access.invitation set expires_at = now() - interval '1 second' where tenant = $1 and email like 'a.%'`,
      [tenant],
    );
    assert.deepEqual(await invitations({ Status: 'expired' }), ['a']);
    assert.deepEqual(await invitations({ Status: 'pending' }), ['b']);
  });

  test('a sorted list shows each group once while others are added and removed', async () => {
    const { stack, token } = on;
    const tenant = await createTenant(stack, token);
    const save = async (Path: string) =>
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path } }, token));
    for (const path of ['b', 'd', 'f', 'h']) await save(path);
    const request = { Tenant: tenant, Sort: 'path', Page: { Limit: 2 } };
    const first = await readPage<Row>(stack, 'Groups_List', request, token);
    // Before and after the place of the cursor, and the row of the cursor itself.
    for (const path of ['a', 'e']) await save(path);
    bodyOf(await stack.call('Groups_Delete', { Tenant: tenant, Path: 'd' }, token));
    const next = { ...request, Page: { Limit: 9, Cursor: first.NextCursor } };
    const second = await readPage<Row>(stack, 'Groups_List', next, token);
    assert.deepEqual(
      [...first.Items, ...second.Items].map(({ Path }) => Path),
      ['b', 'd', 'e', 'f', 'h'],
    );
  });
});
