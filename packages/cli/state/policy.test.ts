import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client/client.ts';
import type { PermissionChange } from '../../client/gen/types.ts';
import type { Change } from './changes.ts';
import type { Holder, Rule } from './file.ts';
import { assertKnown, findViolations } from './policy.ts';

const Tenant = 'tnt_1';

type Stored = {
  grants?: ReadonlyArray<{ UserID: string; Role: string; Resource?: string; ExpiresAt?: string }>;
  groupGrants?: ReadonlyArray<{ Group: string; Role: string; Resource?: string }>;
  members?: Readonly<Record<string, readonly string[]>>;
  /** Permissions by the slug of the role. */
  roles?: Readonly<Record<string, readonly string[]>>;
  defaultRole?: string;
};

/** A tenant with these grants, and members by the path of the group. */
function tenant({
  grants = [],
  groupGrants = [],
  members = {},
  roles = {},
  defaultRole = '',
}: Stored = {}): Client {
  const whole = { Resource: '' };
  const lists: Record<string, (request: { Group?: string }) => readonly unknown[]> = {
    Grants_ListByTenant: () => grants.map((grant) => ({ ...whole, ...grant })),
    GroupGrants_ListByTenant: () => groupGrants.map((grant) => ({ ...whole, ...grant })),
    BotGrants_ListByTenant: () => [],
    Groups_List: () => Object.keys(members).map((Path) => ({ Path })),
    Groups_ListMembers: ({ Group = '' }) => members[Group] ?? [],
    Roles_List: () =>
      Object.entries({ owner: [], ...roles }).map(([Slug, Permissions]) => ({ Slug, Permissions })),
    Roles_ListPermissions: () => [{ Name: 'iam.grants.write' }],
  };
  async function* list(operation: string, request: object) {
    yield* lists[operation]?.(request) ?? [];
  }
  const call = () =>
    Promise.resolve({ Tenant: { ID: Tenant, Settings: { DefaultRole: defaultRole } } });
  return { list, call } as unknown as Client;
}

const gain = (Subject: string, Permission = 'iam.grants.write'): PermissionChange => ({
  Subject,
  Permission,
  Resource: '',
});
const role = (subject: string): Holder => ({ kind: 'Role', subject });
const rule = (Only: Holder[], Permission = 'iam.grants.*'): Rule => ({ Permission, Only });

function violations(
  client: Client,
  rules: readonly Rule[],
  Gained: PermissionChange[],
  changes: readonly Change[] = [],
) {
  const preview = { Gained, Lost: [], refused: [], notes: [], complete: true };
  const names = new Map([['usr_eve', 'eve@example.com']]);
  return findViolations(client, Tenant, rules, { changes, preview, names });
}

const grantTo = (UserID: string, more: object = {}): Change => ({
  operation: 'Grants_Add',
  request: { Grant: { Tenant, UserID, Role: 'owner', ...more } },
  text: '',
});

test('a gain is allowed to those who have the role after the changes, in the whole tenant and for good', async () => {
  const client = tenant({ grants: [{ UserID: 'usr_ada', Role: 'owner' }] });
  const only = [rule([role('owner')])];
  assert.deepEqual(await violations(client, only, [gain('usr_ada')]), []);
  assert.deepEqual(await violations(client, only, [gain('usr_eve')]), [
    'eve@example.com would gain iam.grants.write, and the policy lets only role owner gain iam.grants.*',
  ]);
  assert.deepEqual(await violations(client, only, [gain('usr_eve')], [grantTo('usr_eve')]), []);
  for (const more of [{ Resource: 'x' }, { ExpiresAt: '2099-01-01T00:00:00Z' }]) {
    const changes = [grantTo('usr_eve', more)];
    assert.equal((await violations(client, only, [gain('usr_eve')], changes)).length, 1);
  }
  const removed: Change = {
    operation: 'Grants_Remove',
    request: { Grant: { Tenant, UserID: 'usr_ada', Role: 'owner' } },
    text: '',
  };
  assert.equal((await violations(client, only, [gain('usr_ada')], [removed])).length, 1);
});

test('a role can come from a group above, and a holder can be a group, a user or a bot', async () => {
  const client = tenant({
    groupGrants: [{ Group: 'ops', Role: 'owner' }],
    members: { ops: [], 'Ops/Oncall': ['usr_ada'], opsx: ['usr_bob'] },
  });
  const gained = [gain('usr_ada'), gain('usr_bob')];
  for (const holder of [role('owner'), { kind: 'Group' as const, subject: '/OPS' }]) {
    const problems = await violations(client, [rule([holder])], gained);
    assert.deepEqual([problems.length, problems[0]?.startsWith('usr_bob ')], [1, true]);
  }
  const named = [
    rule([
      { kind: 'User', subject: 'usr_ada' },
      { kind: 'Bot', subject: 'usr_bob' },
    ]),
  ];
  assert.deepEqual(await violations(client, named, gained), []);
  assert.equal((await violations(client, [rule([])], gained)).length, 2);
  const joins: Change[] = [
    {
      operation: 'Groups_AddMember',
      request: { Tenant, Group: 'ops/new', UserID: 'usr_bob' },
      text: '',
    },
    {
      operation: 'Groups_RemoveMember',
      request: { Tenant, Group: 'ops/oncall', UserID: 'usr_ada' },
      text: '',
    },
  ];
  const moved = await violations(client, [rule([role('owner')])], gained, joins);
  assert.deepEqual([moved.length, moved[0]?.startsWith('usr_ada ')], [1, true]);
});

test('a rule of the file before the change counts only holders that the change does not make', async () => {
  const only = (isBase: boolean): Rule[] => [
    { ...rule([{ kind: 'Group', subject: 'security' }]), isBase },
  ];
  const joins: Change = {
    operation: 'Groups_AddMember',
    request: { Tenant, Group: 'security', UserID: 'usr_eve' },
    text: '',
  };
  const gained = [gain('usr_eve')];
  const outside = tenant({ members: { security: [] } });
  assert.deepEqual(await violations(outside, only(false), gained, [joins]), []);
  assert.equal((await violations(outside, only(true), gained, [joins])).length, 1);
  const inside = tenant({ members: { security: ['usr_eve'] } });
  assert.deepEqual(await violations(inside, only(true), gained), []);
});

test('a deleted group has no holders, and its grants make none', async () => {
  const client = tenant({
    groupGrants: [{ Group: 'ops', Role: 'owner' }],
    members: { ops: [], 'ops/oncall': ['usr_ada'] },
  });
  const deletion: Change = {
    operation: 'Groups_Delete',
    request: { Tenant, Path: 'Ops' },
    text: '',
  };
  for (const holder of [role('owner'), { kind: 'Group' as const, subject: 'ops' }]) {
    const problems = await violations(client, [rule([holder])], [gain('usr_ada')], [deletion]);
    assert.equal(problems.length, 1);
    assert.deepEqual(await violations(client, [rule([holder])], [gain('usr_ada')]), []);
  }
});

const granter = { granter: ['app.a', 'iam.grants.*'] };
const groupGrant = (Group: string): Change => ({
  operation: 'GroupGrants_Add',
  request: { Grant: { Tenant, Group, Role: 'granter' } },
  text: '',
});

test('a grant that lasts longer is a gain, and one that is held for as long is not', async () => {
  const temporary = { UserID: 'usr_eve', Role: 'granter', ExpiresAt: '2098-01-01T00:00:00Z' };
  const client = tenant({ roles: granter, grants: [temporary] });
  const until = (ExpiresAt?: string) => [grantTo('usr_eve', { Role: 'granter', ExpiresAt })];
  for (const later of ['2099-01-01T00:00:00Z', undefined])
    assert.deepEqual(await violations(client, [rule([])], [], until(later)), [
      'eve@example.com would gain iam.grants.write for longer, and the policy lets no one gain iam.grants.*',
    ]);
  assert.deepEqual(await violations(client, [rule([])], [], until('2097-01-01T00:00:00Z')), []);
  const others = { ...granter, admin: ['iam.*'] };
  const withGroup = tenant({
    roles: others,
    grants: [temporary],
    groupGrants: [{ Group: 'ops', Role: 'admin' }],
    members: { ops: ['usr_eve'] },
  });
  assert.deepEqual(await violations(withGroup, [rule([])], [], until()), []);
});

test('a grant to an empty group or a disabled user is a gain, unless a holder covers the group', async () => {
  const client = tenant({ roles: granter, members: { ops: [], 'ops/new': [] } });
  const only = [rule([{ kind: 'Group', subject: 'ops' }])];
  assert.deepEqual(await violations(client, only, [], [groupGrant('ops/new')]), []);
  assert.deepEqual(await violations(client, [rule([role('owner')])], [], [groupGrant('ops/new')]), [
    'group ops/new would gain iam.grants.write, and the policy lets only role owner gain iam.grants.*',
  ]);
  const disabled = [grantTo('usr_eve', { Role: 'granter' })];
  assert.equal((await violations(client, only, [], disabled)).length, 1);
  const granted = tenant({
    roles: granter,
    members: { ops: [] },
    groupGrants: [{ Group: 'ops', Role: 'granter' }],
  });
  const joins: Change = {
    operation: 'Groups_AddMember',
    request: { Tenant, Group: 'ops', UserID: 'usr_eve' },
    text: '',
  };
  assert.equal((await violations(granted, [rule([])], [], [joins])).length, 1);
});

test('a changed role is a gain of those who have it and, as the default role, of new members', async () => {
  const change: Change = {
    operation: 'Roles_Save',
    request: {
      Role: { Tenant, Slug: 'editor', Permissions: ['iam.*'] },
      IfUpdatedAt: '2026-01-01T00:00:00Z',
    },
    text: '',
  };
  const roles = { editor: ['app.a'] };
  const granted = tenant({ roles, grants: [{ UserID: 'usr_eve', Role: 'editor' }] });
  assert.match((await violations(granted, [rule([])], [], [change])).join(), /^eve@/);
  const byDefault = tenant({ roles, defaultRole: 'editor' });
  assert.match(
    (await violations(byDefault, [rule([])], [], [change])).join(),
    /^new members would/,
  );
  assert.deepEqual(await violations(tenant({ roles }), [rule([])], [], [change]), []);
});

test('a rule on a part of a gained wildcard is violated, and one on something else is not', async () => {
  const isViolated = async (ruled: string, gained: string) =>
    (await violations(tenant(), [rule([], ruled)], [gain('usr_eve', gained)])).length > 0;
  for (const [ruled, gained] of [
    ['app.money.*', 'app.*'],
    ['app.money.*', '*'],
    ['app.money.*', 'app.money.refund'],
    ['app.money.refund', 'app.money.*'],
    ['*', 'app.a'],
    ['iam.*', 'iam.grants.read'],
  ] as const)
    assert.equal(await isViolated(ruled, gained), true, `${ruled} ${gained}`);
  for (const [ruled, gained] of [
    ['app.money.*', 'app.monet.*'],
    ['app.money.*', 'app.moneybag'],
    // Access_Plan lists the built-in permissions that a gained * adds.
    ['iam.grants.*', '*'],
    ['iam.grants.read', 'iam.grants.write'],
  ] as const)
    assert.equal(await isViolated(ruled, gained), false, `${ruled} ${gained}`);
});

test('without the complete effect, a policy forbids every change', async () => {
  const preview = { Gained: [], Lost: [], refused: [], notes: [], complete: false };
  const plan = { changes: [], preview, names: new Map() };
  assert.match(
    (await findViolations(tenant(), Tenant, [rule([])], plan)).join(),
    /cannot be checked/,
  );
  assert.deepEqual(await findViolations(tenant(), Tenant, [], plan), []);
});

test('rules must name permissions, roles and groups that exist, of the tenant or the file', async () => {
  const group: Holder = { kind: 'Group', subject: 'Sec' };
  const policy = { Policy: [rule([role('owner'), role('new'), group])] };
  const file = { Roles: [{ Slug: 'new' }], Groups: [{ Path: 'sec' }] };
  await assertKnown(tenant(), Tenant, { ...policy, ...file });
  await assert.rejects(assertKnown(tenant(), Tenant, policy), (error: Error) => {
    assert.match(error.message, /Policy\[0\]\.Only names the role new, .*\n.*the group Sec/);
    return true;
  });
  for (const misspelt of ['iam.grant.*', 'iam.grants'])
    await assert.rejects(
      assertKnown(tenant(), Tenant, { Policy: [rule([], misspelt)] }),
      /is not a permission of Bailiwick/,
    );
});
