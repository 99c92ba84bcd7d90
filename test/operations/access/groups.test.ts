import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { countOf, eventsOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Group, type Groups, startGroups } from './group-calls.ts';

const pathRule =
  'must be 1 to 8 segments of letters, digits, ".", "_" and "-", each beginning with a letter or digit, joined by "/"';

const eightSegments = Array.from({ length: 8 }, () => 'a'.repeat(31)).join('/');

describeOne('groups', 'one process', (topology) => {
  let suite: Groups;
  before(async () => {
    suite = await startGroups(topology);
  });
  after(() => suite?.stop());

  test('Groups_Save creates a group and ignores the fields that the service manages', async () => {
    const { stack, newTenant, save, read } = suite;
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
    const { stack, newTenant, save, read } = suite;
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
    const { stack, newTenant, save, read } = suite;
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
    const { stack, token, newTenant, save } = suite;
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
    const { stack, newTenant, save } = suite;
    const Tenant = await newTenant();
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, '']));
    const answer = await save({
      Tenant,
      Path: 'a',
      Name: 'x'.repeat(257),
      Description: 'x'.repeat(513),
      Metadata: many,
    });
    assertRefused(answer, 400, 'invalid_argument', [
      'Group.Name must be at most 256 characters',
      'Group.Description must be at most 512 characters',
      'Group.Metadata must have at most 50 keys',
    ]);
    bodyOf(await save({ Tenant, Path: 'a', Name: 'ä'.repeat(256), Description: 'x'.repeat(512) }));
    assert.equal(await countOf(stack, 'access.group_entry where tenant = $1', [Tenant]), 1);
  });

  test('Groups_Save with IfUpdatedAt fails if the group has changed since', async () => {
    const { stack, newTenant, save, read } = suite;
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
    const { stack, newTenant, save } = suite;
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
});
