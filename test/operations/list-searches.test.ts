import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, readPage } from '../support/answers.ts';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, rowsOf } from '../support/store.ts';

type Record = { ID: string; Name: string; Email: string; Path: string; UserID: string };

const unique = Date.now().toString(36);
const people = [
  { Name: 'Ada Lovelace', Email: `ada.${unique}@example.com` },
  { Name: 'ádám Zoltan', Email: `zo.${unique}@example.com` },
  { Name: 'Grace Brewster Hopper', Email: `grace.${unique}@example.com` },
  { Name: '100%_sure', Email: `sure.${unique}@example.com` },
  { Name: "Robert'); drop table user_account; --", Email: `bobby.${unique}@example.com` },
  { Name: '李小龍', Email: `bruce.${unique}@example.com` },
  { Name: '', Email: `nameless.${unique}@example.com` },
];

/** Queries, and the addresses that they find among these people. */
const searches: ReadonlyArray<[query: string, found: readonly string[]]> = [
  ['ada', ['ada', 'zo']],
  ['ADA LOVE', ['ada']],
  ['lovel', ['ada']],
  ['hopp', ['grace']],
  ['brew', []],
  ['Zoltan', ['zo']],
  ['ádá', ['zo']],
  ['李', ['bruce']],
  ['龍', []],
  ['100%', ['sure']],
  ['1%', []],
  ['%', []],
  ['_', []],
  ["robert')", ['bobby']],
  ["' or true --", []],
  ['nameless', ['nameless']],
  [`ada.${unique}@example.com`, ['ada']],
  [' Ada  ', ['ada', 'zo']],
  ['\u{10ffff}', []],
];

describeOne('searches in lists', 'one process', (topology) => {
  let stack: Stack;
  let token = '';
  let Tenant = '';
  let other = '';
  const ids = new Map<string, string>();
  const nameOf = (email: string) => email.slice(0, email.indexOf('.'));
  before(async () => {
    stack = await sharedStack(topology);
    ({ token } = await signUp(stack));
    [Tenant, other] = [await createTenant(stack, token), await createTenant(stack, token)];
    for (const User of people) {
      const created = bodyOf(await stack.call('Users_Create', { User }, stack.platformKey));
      const { ID } = created['User'] as Record;
      ids.set(nameOf(User.Email), ID);
      const added = { Tenant, UserID: ID };
      bodyOf(await stack.call('TenantMembers_Add', added, stack.platformKey));
    }
    await eventually(
      'the names of the members',
      async () =>
        (await countOf(stack, 'access.tenant_member where tenant = $1 and described_at is null', [
          Tenant,
        ])) === 0,
    );
  });
  after(() => stack?.stop());

  const list = <Item = Record>(operation: string, request: object, limit = 200) =>
    readList<Item>(stack, operation, request, token, limit).then(({ items }) => items);
  const idsOf = (names: readonly string[]) => names.map((name) => ids.get(name)).sort();

  test('TenantMembers_List and Users_ListByTenant find members by name, last word and address', async () => {
    for (const [Query, names] of searches) {
      const members = await list('TenantMembers_List', { Tenant, Query });
      assert.deepEqual(members.map(({ UserID }) => UserID).sort(), idsOf(names), Query);
      const users = await list('Users_ListByTenant', { Tenant, Query });
      assert.deepEqual(users.map(({ ID }) => ID).sort(), idsOf(names), Query);
    }
    assert.deepEqual(await list('TenantMembers_List', { Tenant: other, Query: 'ada' }), []);
  });

  test('Users_List finds users by name, last word and address, for the platform only', async () => {
    for (const [Query, names] of searches) {
      const request = { Query, From: '2020-01-01T00:00:00Z' };
      const { items } = await readList<Record>(stack, 'Users_List', request, stack.platformKey);
      const own = items.filter(({ ID }) => [...ids.values()].includes(ID));
      assert.deepEqual(own.map(({ ID }) => ID).sort(), idsOf(names), Query);
    }
    assertRefused(
      await stack.call('Users_List', { Query: 'ada' }, token),
      403,
      'permission_denied',
    );
  });

  test('Users_List filters by state and time, and combines what it is asked for', async () => {
    const [ada = '', zo = ''] = idsOf(['ada', 'zo']);
    const find = async (request: object) =>
      (await readList<Record>(stack, 'Users_List', request, stack.platformKey)).items
        .map(({ ID }) => ID)
        .filter((id) => [ada, zo].includes(id));
    bodyOf(await stack.call('Users_Disable', { UserID: zo }, stack.platformKey));
    assert.deepEqual(await find({ Status: 'disabled' }), [zo]);
    assert.deepEqual(await find({ Status: 'disabled', Query: 'ada' }), [zo]);
    assert.deepEqual(await find({ Status: 'active', Query: 'ada' }), [ada]);
    bodyOf(await stack.call('Users_Enable', { UserID: zo }, stack.platformKey));
    assert.deepEqual(await find({ Status: 'disabled' }), []);
    const [{ at } = { at: '' }] = await rowsOf<{ at: string }>(
      stack,
      'select max(created_at) as at from identity.user_account where id = any ($1)',
      [[ada, zo]],
    );
    const Between = new Date(at).toISOString();
    assert.deepEqual(await find({ Query: 'ada', To: Between }), [ada]);
    assert.deepEqual(await find({ Query: 'ada', From: Between }), [zo]);
    assert.deepEqual(await find({ From: Between, To: Between }), []);
    assert.deepEqual(await find({ From: '2999-01-01T00:00:00Z' }), []);
  });

  test('a member is found by a new name and address, and no longer by the old ones', async () => {
    const ID = ids.get('grace') ?? '';
    const change = { User: { ID, Name: 'Amazing Grace' } };
    bodyOf(await stack.call('Users_Update', change, stack.platformKey));
    const find = async (Query: string) =>
      (await list('TenantMembers_List', { Tenant, Query })).map(({ UserID }) => UserID);
    await eventually('the new name', async () => (await find('amaz')).includes(ID));
    assert.deepEqual(await find('hopp'), []);
    assert.deepEqual(await find('grace'), [ID]);
    // An older report that arrives late changes nothing.
    await rowsOf(
      stack,
      `update access.tenant_member set described_at = '2999-01-01' where user_id = $1`,
      [ID],
    );
    bodyOf(
      await stack.call('Users_Update', { User: { ID, Name: 'Grace Hopper' } }, stack.platformKey),
    );
    assert.deepEqual(await find('amaz'), [ID]);
    await rowsOf(stack, 'update access.tenant_member set described_at = null where user_id = $1', [
      ID,
    ]);
  });

  test('TenantMembers_List finds a pending member by the ID only, and filters by state, source and time', async () => {
    const stranger = await signUp(stack);
    const offered = await createTenant(stack, token);
    const { id } = stranger;
    bodyOf(await stack.call('TenantMembers_Add', { Tenant: offered, UserID: id }, token));
    const find = async (request: object) =>
      (await list('TenantMembers_List', { Tenant: offered, ...request })).map(
        ({ UserID }) => UserID,
      );
    assert.deepEqual(await find({ Status: 'pending' }), [id]);
    assert.deepEqual(await find({ Query: stranger.email }), []);
    assert.deepEqual(await find({ Source: 'admin' }), [id]);
    assert.equal((await find({ Source: 'creator' })).length, 1);
    assert.deepEqual(await find({ Source: 'sso' }), []);
    assert.deepEqual(await find({ Source: 'creator', Status: 'pending' }), []);
    assert.equal((await find({ Sort: 'name' })).length, 2);
    assert.equal((await find({ Sort: 'joined', Descending: true }))[0], id);
    assert.deepEqual(await find({ From: '2999-01-01T00:00:00Z' }), []);
    const users = await list('Users_ListByTenant', { Tenant: offered, Source: 'admin' });
    assert.deepEqual(users, []);
  });

  test('lists are sorted in both orders, page by page, as the whole list is', async () => {
    const key = (text: string) => text.toLowerCase().normalize('NFKD');
    const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const all = await list('Users_ListByTenant', { Tenant });
    for (const [Sort, of] of [
      ['name', ({ Name }: Record) => key(Name)],
      ['email', ({ Email }: Record) => key(Email)],
    ] as const) {
      const sorted = await list('Users_ListByTenant', { Tenant, Sort }, 2);
      // The name of Grace may have just changed: the stored one counts.
      if (Sort === 'email') assert.deepEqual(sorted.map(of), all.map(of).sort(bytes));
      assert.equal(sorted.length, all.length);
      assert.deepEqual(
        await list('Users_ListByTenant', { Tenant, Sort, Descending: true }, 3),
        sorted.toReversed(),
      );
    }
    const joined = await list('Users_ListByTenant', { Tenant, Sort: 'joined' }, 1);
    assert.deepEqual(
      joined.slice(1).map(({ ID }) => ID),
      people.map(({ Email }) => ids.get(nameOf(Email))),
    );
    const byId = await list('TenantMembers_List', { Tenant, Descending: true }, 3);
    assert.deepEqual(
      byId.map(({ UserID }) => UserID),
      all.map(({ ID }) => ID).toReversed(),
    );
  });

  test('Groups_List and Groups_ListByTenant find groups by name and path', async () => {
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
      assert.deepEqual(await find({ Query: 'e%' }), []);
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
    for (const Path of ['team', 'team/below'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, token));
    const enter = async (Group: string, name: string) =>
      bodyOf(await stack.call('Groups_AddMember', { Tenant, Group, UserID: ids.get(name) }, token));
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
      ['ada', 'bobby', 'zo'].map((name) => ids.get(name)),
    );
    const reader = await signUp(stack);
    const Role = { Tenant, Slug: `groups-${unique}`, Name: 'G', Permissions: ['iam.groups.read'] };
    bodyOf(await stack.call('Roles_Save', { Role }, token));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: reader.id }, stack.platformKey));
    bodyOf(
      await stack.call(
        'Grants_Remove',
        { Tenant, UserID: reader.id, Role: 'member' },
        stack.platformKey,
      ),
    );
    bodyOf(await stack.call('Grants_Add', { Tenant, UserID: reader.id, Role: Role.Slug }, token));
    const asked = { Tenant, Group: 'team' };
    bodyOf(await stack.call('Groups_ListMembers', asked, reader.token));
    for (const search of [{ Query: 'a' }, { Sort: 'name' }, { Descending: true }])
      assertRefused(
        await stack.call('Groups_ListMembers', { ...asked, ...search }, reader.token),
        403,
        'permission_denied',
      );
  });

  test('Bots_List and TenantInvitations_List search, filter and sort', async () => {
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
          { Tenant: tenant, Email: `${name}.${unique}@example.org` },
          token,
        ),
      );
    bodyOf(
      await stack.call(
        'TenantInvitations_Delete',
        { Tenant: tenant, Email: `c.${unique}@example.org` },
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

  test('searches refuse long queries, unknown values, foreign tenants and cursors of another search', async () => {
    const stranger = await signUp(stack);
    for (const operation of [
      'TenantMembers_List',
      'Users_ListByTenant',
      'Groups_List',
      'Groups_ListByTenant',
      'Bots_List',
      'TenantInvitations_List',
    ]) {
      for (const request of [
        { Query: 'a'.repeat(1000) },
        { Sort: 'password_hash' },
        { Sort: 'name; drop table user_account' },
        { From: 'yesterday' },
        { Descending: 'yes' },
      ])
        assertRefused(
          await stack.call(operation, { Tenant, ...request }, token),
          400,
          'invalid_argument',
        );
      const foreign = await stack.call(operation, { Tenant, Query: 'a' }, stranger.token);
      assertRefused(foreign, 403, 'permission_denied');
    }
    const { NextCursor: Cursor } = await readPage<Record>(
      stack,
      'TenantMembers_List',
      { Tenant, Query: 'ada', Page: { Limit: 1 } },
      token,
    );
    assert.notEqual(Cursor, '');
    for (const request of [
      { Tenant },
      { Tenant, Query: 'ad' },
      { Tenant, Query: 'ada', Sort: 'name' },
      { Tenant, Query: 'ada', Descending: true },
      { Tenant, Query: 'ada', Status: 'active' },
      { Tenant: other, Query: 'ada' },
    ])
      assertRefused(
        await stack.call('TenantMembers_List', { ...request, Page: { Cursor } }, token),
        400,
        'invalid_argument',
        ['Page.Cursor is not a cursor of this list'],
      );
  });

  test('a sorted list shows each group once while others are added and removed', async () => {
    const tenant = await createTenant(stack, token);
    const save = async (Path: string) =>
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path } }, token));
    for (const path of ['b', 'd', 'f', 'h']) await save(path);
    const request = { Tenant: tenant, Sort: 'path', Page: { Limit: 2 } };
    const first = await readPage<Record>(stack, 'Groups_List', request, token);
    // Before and after the place of the cursor, and the row of the cursor itself.
    for (const path of ['a', 'e']) await save(path);
    bodyOf(await stack.call('Groups_Delete', { Tenant: tenant, Path: 'd' }, token));
    const next = { ...request, Page: { Limit: 9, Cursor: first.NextCursor } };
    const second = await readPage<Record>(stack, 'Groups_List', next, token);
    assert.deepEqual(
      [...first.Items, ...second.Items].map(({ Path }) => Path),
      ['b', 'd', 'e', 'f', 'h'],
    );
  });
});
