import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  assertRefused,
  bodyOf,
  readList,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../support/answers.ts';
import { describeBoth, type Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, eventsOf, eventTypesOf, rowsOf } from '../support/store.ts';

type Group = {
  ID: string;
  Tenant: string;
  Path: string;
  Name: string;
  Description: string;
  Metadata: object;
  CreatedAt: string;
  UpdatedAt: string;
};

const pathRule =
  'must be 1 to 8 segments of letters, digits, ".", "_" and "-", each beginning with a letter or digit, joined by "/"';
const badCursor = ['Page.Cursor is not a cursor of this list'];
const eightSegments = Array.from({ length: 8 }, () => 'a'.repeat(31)).join('/');

describeBoth('groups', (topology) => {
  let stack: Stack;
  let id: string;
  let token: string;
  before(async () => {
    stack = await sharedStack(topology);
    ({ id, token } = await signUp(stack));
  });
  after(() => stack?.stop());

  // A user may create ten tenants of their own.
  const newTenant = async () => tenantFor(stack, id);

  const save = (group: object, rest: object = {}) =>
    stack.call('Groups_Save', { Group: group, ...rest }, token);
  const read = async (Tenant: string, Path: string) =>
    recordIn(await stack.call('Groups_Get', { Tenant, Path }, token), 'Group') as Group;
  const remove = (Tenant: string, Path: string) =>
    stack.call('Groups_Delete', { Tenant, Path }, token);

  test('Groups_Save creates a group and ignores the fields that the service manages', async () => {
    const Tenant = await newTenant();
    const managed = { ID: 7, Source: ['x'], CreatedAt: 'never', UpdatedAt: {} };
    const fields = {
      Name: 'Backend',
      Description: 'They build it',
      ExternalID: 'ext-1',
      Metadata: { floor: '3' },
    };
    assert.deepEqual(
      bodyOf(await save({ Tenant, Path: '/Eng/Backend', ...fields, ...managed })),
      {},
    );
    const { ID, CreatedAt, UpdatedAt, ...rest } = await read(Tenant, 'eng/backend');
    assert.deepEqual(rest, { Tenant, Path: '/Eng/Backend', ...fields, Source: 'api' });
    assert.match(ID, /^grp_[0-7][0-9a-z]{25}$/);
    assert.equal(CreatedAt, UpdatedAt);
    assert.ok(Math.abs(Date.parse(CreatedAt) - Date.now()) < 60_000);
    assert.deepEqual(
      await rowsOf(
        stack,
        'select id, path, key, ancestor_keys from access.group_entry where tenant = $1',
        [Tenant],
      ),
      [{ id: ID, path: '/Eng/Backend', key: 'eng/backend', ancestor_keys: ['eng', 'eng/backend'] }],
    );
  });

  test('Groups_Save keeps absent fields and replaces sent ones', async () => {
    const Tenant = await newTenant();
    const first = {
      Name: 'Eng',
      Description: 'All of them',
      ExternalID: 'ext-1',
      Metadata: { floor: '3', room: '7' },
    };
    bodyOf(await save({ Tenant, Path: 'Eng', ...first }));
    const created = await read(Tenant, 'Eng');
    bodyOf(await save({ Tenant, Path: 'eng', Name: 'Engineering' }));
    const { UpdatedAt, ...renamed } = await read(Tenant, 'Eng');
    assert.deepEqual(
      { ...renamed, UpdatedAt: created.UpdatedAt },
      { ...created, Name: 'Engineering' },
    );
    assert.ok(UpdatedAt > created.UpdatedAt);
    bodyOf(
      await save({
        Tenant,
        Path: '/ENG',
        Name: null,
        Description: '',
        ExternalID: null,
        Metadata: { floor: '4' },
      }),
    );
    const { Path, Name, Description, ExternalID, Metadata } = (await read(
      Tenant,
      'eng',
    )) as Group & { ExternalID: string };
    assert.deepEqual(
      [Path, Name, Description, ExternalID, Metadata],
      ['Eng', 'Engineering', '', 'ext-1', { floor: '4' }],
    );
    bodyOf(await save({ Tenant, Path: 'eng', Metadata: {} }));
    assert.deepEqual((await read(Tenant, 'eng')).Metadata, {});
    assert.deepEqual(
      await rowsOf(
        stack,
        'select name, description, external_id, metadata from access.group_entry where tenant = $1',
        [Tenant],
      ),
      [{ name: 'Engineering', description: '', external_id: 'ext-1', metadata: {} }],
    );
  });

  test('Groups_Save lists the changes in its event, and publishes no event without a change', async () => {
    const Tenant = await newTenant();
    bodyOf(await save({ Tenant, Path: 'eng', Name: 'Eng' }));
    bodyOf(await save({ Tenant, Path: 'eng', Name: 'Engineering', Metadata: {} }));
    const stored = await read(Tenant, 'eng');
    for (const same of [
      stored,
      { Tenant, Path: '/ENG' },
      { Tenant, Path: 'eng', Name: 'Engineering', Description: null },
    ])
      bodyOf(await save(same));
    assert.deepEqual(await read(Tenant, 'eng'), stored);
    const events = (await eventsOf(stack, 'access', Tenant)).filter(({ type }) =>
      type.startsWith('group.'),
    );
    assert.deepEqual(
      events.map(({ type, previous }) => [type, previous]),
      [
        ['group.created', {}],
        ['group.updated', { Name: 'Eng' }],
      ],
    );
    assert.deepEqual(events[1]?.data, stored);
  });

  test('Groups_Save accepts every path of the grammar, and names the rule for all others', async () => {
    const Tenant = await newTenant();
    assert.equal(eightSegments.length, 255);
    const good = ['a', 'Z9', '0', 'a.b_c-d', 'a'.repeat(63), eightSegments, '/leading/slash'];
    for (const path of good) bodyOf(await save({ Tenant, Path: path }));
    const bad = [
      '/',
      '//a',
      'a//b',
      'a/',
      '-a',
      '.a',
      '_a',
      'a/..',
      'a/.b',
      'a b',
      'ä',
      'a\\b',
      'a\n',
      'a%2fb',
      'a'.repeat(64),
      `/${eightSegments}`,
    ];
    for (const path of [...bad, `${eightSegments}/a`, 'a/b/c/d/e/f/g/h/i']) {
      assertRefused(await save({ Tenant, Path: path }), 400, 'invalid_argument', [
        `Group.Path ${pathRule}`,
      ]);
      assertRefused(
        await stack.call('Groups_Get', { Tenant, Path: path }, token),
        400,
        'invalid_argument',
        [`Path ${pathRule}`],
      );
      assertRefused(
        await stack.call('Groups_ListMembers', { Tenant, Group: path }, token),
        400,
        'invalid_argument',
        [`Group ${pathRule}`],
      );
    }
    assertRefused(await save({}), 400, 'invalid_argument', [
      'Group.Tenant is required',
      'Group.Path is required',
    ]);
    assert.equal(
      await countOf(stack, 'access.group_entry where tenant = $1', [Tenant]),
      good.length,
    );
  });

  test('Groups_Save reports all too long fields in one list', async () => {
    const Tenant = await newTenant();
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, '']));
    const answer = await save({
      Tenant,
      Path: 'a',
      Name: 'x'.repeat(129),
      Description: 'x'.repeat(513),
      Metadata: many,
    });
    assertRefused(answer, 400, 'invalid_argument', [
      'Group.Name must be at most 128 characters',
      'Group.Description must be at most 512 characters',
      'Group.Metadata must have at most 50 keys',
    ]);
    bodyOf(await save({ Tenant, Path: 'a', Name: 'ä'.repeat(128), Description: 'x'.repeat(512) }));
    assert.equal(await countOf(stack, 'access.group_entry where tenant = $1', [Tenant]), 1);
  });

  test('Groups_Save with IfUpdatedAt fails if the group has changed since', async () => {
    const Tenant = await newTenant();
    bodyOf(await save({ Tenant, Path: 'eng', Name: '0' }));
    const { UpdatedAt } = await read(Tenant, 'eng');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        save({ Tenant, Path: 'eng', Name: `n${index}` }, { IfUpdatedAt: UpdatedAt }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['the group was changed meanwhile']);
    const winner = await read(Tenant, 'eng');
    assert.equal(winner.Name, `n${answers.findIndex(({ status }) => status === 200)}`);
    bodyOf(await save({ Tenant, Path: 'eng', Name: 'last' }, { IfUpdatedAt: winner.UpdatedAt }));
    // A missing group is not the group that was read.
    assertRefused(
      await save({ Tenant, Path: 'new' }, { IfUpdatedAt: winner.UpdatedAt }),
      400,
      'failed_precondition',
    );
    assert.equal(await countOf(stack, 'access.group_entry where tenant = $1', [Tenant]), 1);
  });

  test('Groups_Save for a new path, called 20 times at once, creates one group', async () => {
    const Tenant = await newTenant();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        retryWhileBusy(() => save({ Tenant, Path: index % 2 ? 'Eng' : '/eng' })),
      ),
    );
    for (const answer of answers) bodyOf(answer);
    assert.equal(await countOf(stack, 'access.group_entry where tenant = $1', [Tenant]), 1);
    assert.deepEqual(
      (await eventTypesOf(stack, 'access', Tenant)).filter((type) => type.startsWith('group.')),
      ['group.created'],
    );
  });

  test('Groups_Get returns null for a missing group', async () => {
    const Tenant = await newTenant();
    assert.deepEqual(bodyOf(await stack.call('Groups_Get', { Tenant, Path: 'eng' }, token)), {
      Group: null,
    });
  });

  test('Groups_Delete removes only the group and its memberships, and repeats without an event', async () => {
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
    const left = await rowsOf<{ key: string; members: number }>(
      stack,
      `select g.key, (select count(*)::int from access.group_member m where m.tenant = g.tenant and m.group_id = g.id) as members
       from access.group_entry g where g.tenant = $1 order by g.key`,
      [Tenant],
    );
    assert.deepEqual(
      left,
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
