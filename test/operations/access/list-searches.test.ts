import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, readPage } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { type Row, type Searches, startSearches } from './list-search-calls.ts';

// Searches and orders of the lists of people, and the refusals of all searches.

/** Queries, and the addresses that they find among these people. */
const searchesWith = (part: string): ReadonlyArray<[query: string, found: readonly string[]]> => [
  ['ada', ['ada', 'zo']],
  ['ADA LOVE', ['ada']],
  ['lovel', ['ada']],
  ['hopp', ['grace']],
  ['brew', ['grace']],
  ['race brew', ['grace']],
  ['ove', ['ada']],
  ['òvè', ['ada']],
  ['ov', []],
  ['Zoltan', ['zo']],
  ['ádá', ['ada', 'zo']],
  ['李', ['bruce']],
  ['龍', []],
  ['100%', ['sure']],
  ['00%_sure', ['sure']],
  ['100_', []],
  ['1%_sure', []],
  ['100\\', []],
  ['drop table', ['bobby']],
  ['1%', []],
  ['%', []],
  ['_', []],
  ["robert')", ['bobby']],
  ["' or true --", []],
  ['nameless', ['nameless']],
  [`ada.${part}@example.com`, ['ada']],
  [' Ada  ', ['ada', 'zo']],
  ['\u{10ffff}', []],
];

describeOne('searches in lists', 'one process', (topology) => {
  let on: Searches;
  let other = '';
  before(async () => {
    on = await startSearches(topology);
    other = await createTenant(on.stack, on.token);
  });
  after(() => on?.stop());

  test('TenantMembers_List and Users_ListByTenant find members by parts of their names and addresses', async () => {
    const { Tenant, idsOf, list } = on;
    for (const [Query, names] of searchesWith(on.part)) {
      const members = await list('TenantMembers_List', { Tenant, Query });
      assert.deepEqual(members.map(({ UserID }) => UserID).sort(), idsOf(names), Query);
      const users = await list('Users_ListByTenant', { Tenant, Query });
      assert.deepEqual(users.map(({ ID }) => ID).sort(), idsOf(names), Query);
    }
    for (const Query of ['ada', 'ove', on.part])
      assert.deepEqual(await list('TenantMembers_List', { Tenant: other, Query }), [], Query);
  });

  test('Users_List finds users by parts of their names and addresses, for the platform only', async () => {
    const { stack, token, allIds, idsOf } = on;
    for (const [Query, names] of searchesWith(on.part)) {
      const request = { Query, From: '2020-01-01T00:00:00Z' };
      const { items } = await readList<Row>(stack, 'Users_List', request, stack.platformKey);
      const own = items.filter(({ ID }) => allIds.includes(ID));
      assert.deepEqual(own.map(({ ID }) => ID).sort(), idsOf(names), Query);
    }
    assertRefused(
      await stack.call('Users_List', { Query: 'ada' }, token),
      403,
      'permission_denied',
    );
  });

  test('Users_List filters by state and time, and combines the filters', async () => {
    const { stack, idOf } = on;
    const [ada, zo] = [idOf('ada'), idOf('zo')];
    const find = async (request: object) =>
      (await readList<Row>(stack, 'Users_List', request, stack.platformKey)).items
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
    const { stack, Tenant, idOf, list } = on;
    const ID = idOf('grace');
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
    const { stack, token, list } = on;
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

  test('TenantMembers_List WithNames tells names and addresses, but not those of users who have not accepted or have left', async () => {
    const { stack, token, list } = on;
    const [pending, disabled, leaver] = [
      await signUp(stack),
      await signUp(stack),
      await signUp(stack),
    ];
    const Tenant = await createTenant(stack, token);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: pending.id }, token));
    for (const { id: UserID, token: own } of [disabled, leaver]) {
      bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey));
      bodyOf(await stack.call('TenantMembers_Disable', { Tenant, UserID }, token));
      if (own === leaver.token)
        bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID }, own));
    }
    const rename = { User: { ID: disabled.id, Name: 'Grace Hopper' } };
    bodyOf(await stack.call('Users_Update', rename, stack.platformKey));
    const of = async ({ id }: { id: string }, request: object) => {
      const members = await list('TenantMembers_List', { Tenant, ...request });
      const member = members.find(({ UserID }) => UserID === id);
      assert.ok(member);
      return member.User;
    };
    for (const search of [{}, { Sort: 'joined' }]) {
      const request = { ...search, WithNames: true };
      const names = { Name: 'Grace Hopper', Email: disabled.email };
      assert.deepEqual(await of(disabled, request), names);
      assert.deepEqual(await of(pending, request), undefined);
      assert.deepEqual(await of(leaver, request), undefined);
      assert.deepEqual(await of(disabled, search), undefined);
    }
  });

  test('lists are sorted in both orders, page by page, as the whole list is', async () => {
    const { Tenant, allIds, list } = on;
    const key = (text: string) =>
      text
        .toLowerCase()
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '');
    const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const all = await list('Users_ListByTenant', { Tenant });
    for (const [Sort, of] of [
      ['name', ({ Name }: Row) => key(Name)],
      ['email', ({ Email }: Row) => key(Email)],
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
      allIds,
    );
    const byId = await list('TenantMembers_List', { Tenant, Descending: true }, 3);
    assert.deepEqual(
      byId.map(({ UserID }) => UserID),
      all.map(({ ID }) => ID).toReversed(),
    );
  });

  test('searches refuse long queries, unknown values, foreign tenants and cursors of another search', async () => {
    const { stack, token, Tenant } = on;
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
    const { NextCursor: Cursor } = await readPage<Row>(
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
});
