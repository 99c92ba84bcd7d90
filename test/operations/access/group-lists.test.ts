import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  assertRefused,
  bodyOf,
  readList,
  readPage,
  retryWhileBusy,
} from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { countOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Group, type Groups, startGroups } from './group-calls.ts';

const badCursor = ['Page.Cursor is not a cursor of this list'];

describeOne('lists of groups', 'one process', (topology) => {
  let suite: Groups;
  before(async () => {
    suite = await startGroups(topology);
  });
  after(() => suite?.stop());

  test('Groups_Get returns null for a missing group', async () => {
    const { stack, token, newTenant } = suite;
    const Tenant = await newTenant();
    assert.deepEqual(bodyOf(await stack.call('Groups_Get', { Tenant, Path: 'eng' }, token)), {
      Group: null,
    });
  });

  test('Groups_Delete removes only the group and its memberships, and repeats without an event', async () => {
    const { stack, id, token, newTenant, save, remove } = suite;
    const Tenant = await newTenant();
    for (const Path of ['eng', 'eng/backend', 'eng/backend/storage', 'england']) {
      bodyOf(await save({ Tenant, Path }));
      bodyOf(await stack.call('Groups_AddMember', { Tenant, Group: Path, UserID: id }, token));
    }
    for (const Path of ['/Eng', 'eng', 'never-there'])
      assert.deepEqual(bodyOf(await remove(Tenant, Path)), {});
    assert.deepEqual(bodyOf(await stack.call('Groups_Get', { Tenant, Path: 'eng' }, token)), {
      Group: null,
    });
    const groups = await rowsOf<{ key: string; members: number }>(
      stack,
      `select g.key, (select count(*)::int from access.group_member m where m.tenant = g.tenant and m.group_id = g.id) as members
       from access.group_entry g where g.tenant = $1 order by g.key`,
      [Tenant],
    );
    assert.deepEqual(
      groups,
      ['eng/backend', 'eng/backend/storage', 'england'].map((key) => ({ key, members: 1 })),
    );
    assert.equal(await countOf(stack, 'access.group_member where tenant = $1', [Tenant]), 3);
    assert.equal(
      (await eventTypesOf(stack, 'access', Tenant)).filter((type) => type === 'group.deleted')
        .length,
      1,
    );
  });

  test('Groups_List and Groups_ListByTenant page through the same rows', async () => {
    const { stack, token, newTenant, save } = suite;
    const Tenant = await newTenant();
    for (const operation of ['Groups_List', 'Groups_ListByTenant']) {
      assert.deepEqual(await readPage(stack, operation, { Tenant }, token), {
        Items: [],
        NextCursor: '',
      });
    }
    const paths = Array.from({ length: 120 }, (_, index) => `g${index}`);
    await Promise.all(
      paths.map(async (Path) => bodyOf(await retryWhileBusy(() => save({ Tenant, Path })))),
    );
    const all = await readList<Group>(stack, 'Groups_List', { Tenant }, token, 7);
    assert.deepEqual(all.sizes, [...Array.from({ length: 17 }, () => 7), 1]);
    assert.deepEqual(all.items.map(({ Path }) => Path).sort(), [...paths].sort());
    for (const limit of [50, 120, 100_000]) {
      assert.deepEqual(
        (await readList<Group>(stack, 'Groups_ListByTenant', { Tenant }, token, limit)).items,
        all.items,
      );
    }
    for (const page of [undefined, null, {}, { Limit: 0 }, { Limit: null, Cursor: '' }]) {
      const { Items, NextCursor } = await readPage<Group>(
        stack,
        'Groups_List',
        { Tenant, Page: page },
        token,
      );
      assert.deepEqual(Items, all.items.slice(0, 50));
      assert.notEqual(NextCursor, '');
    }
    assert.deepEqual(
      (await readPage<Group>(stack, 'Groups_List', { Tenant, Page: { Limit: 120 } }, token))
        .NextCursor,
      '',
    );
  });

  test('Groups_List returns at most 200 at once, and skips nothing if the last read group is deleted', async () => {
    const { stack, token, newTenant, save, remove } = suite;
    const Tenant = await newTenant();
    const paths = Array.from({ length: 205 }, (_, index) => `g${index}`);
    await Promise.all(
      paths.map(async (Path) => bodyOf(await retryWhileBusy(() => save({ Tenant, Path })))),
    );
    const first = await readPage<Group>(
      stack,
      'Groups_List',
      { Tenant, Page: { Limit: 1000 } },
      token,
    );
    assert.equal(first.Items.length, 200);
    bodyOf(await remove(Tenant, first.Items.at(-1)?.Path ?? ''));
    const second = await readPage<Group>(
      stack,
      'Groups_List',
      { Tenant, Page: { Cursor: first.NextCursor } },
      token,
    );
    assert.deepEqual(
      [...first.Items, ...second.Items].map(({ Path }) => Path).sort(),
      [...paths].sort(),
    );
  });

  test('Groups_List refuses a cursor of another list, and a negative limit', async () => {
    const { stack, token, newTenant, save } = suite;
    const [Tenant, other] = await Promise.all([newTenant(), newTenant()]);
    for (const Path of ['a', 'b'])
      for (const tenant of [Tenant, other]) bodyOf(await save({ Tenant: tenant, Path }));
    const cursorOf = async (operation: string, tenant: string) =>
      (await readPage(stack, operation, { Tenant: tenant, Page: { Limit: 1 } }, token)).NextCursor;
    const own = await cursorOf('Groups_List', Tenant);
    const list = (Page: object) => stack.call('Groups_List', { Tenant, Page }, token);
    assert.equal(
      (bodyOf(await list({ Cursor: own }))['Page'] as { Items: unknown[] }).Items.length,
      1,
    );
    const flipped = `${own.startsWith('A') ? 'B' : 'A'}${own.slice(1)}`;
    const strange = [
      await cursorOf('Groups_List', other),
      await cursorOf('Groups_ListByTenant', Tenant),
      flipped,
      own.slice(0, -2),
      'garbage',
      'ä',
      '0',
    ];
    for (const Cursor of strange)
      assertRefused(await list({ Cursor }), 400, 'invalid_argument', badCursor);
    assertRefused(await list({ Limit: -1 }), 400, 'invalid_argument', [
      'Page.Limit must be at least 0',
    ]);
    assertRefused(await list({ Limit: 1.5, Cursor: 7 }), 400, 'invalid_argument');
    assertRefused(
      await stack.call('Groups_ListByTenant', { Tenant, Page: { Limit: -1 } }, token),
      400,
      'invalid_argument',
    );
  });
});
