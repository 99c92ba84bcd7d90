import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasPermission, permissions } from '@bailiwick/proto/permissions.ts';
import { type Run } from '@bailiwick/shared/orm.ts';
import type { BotRolesRow, RolesRow } from './queries.ts';
import { mayConfer, type Principal, rightsOf, tokenRightsOf } from './rights.ts';

const tenant = 'tnt_1';
const answering = (rows: unknown[]): Run => (() => Promise.resolve(rows)) as Run;

const userRow = (changes: Partial<RolesRow> = {}): RolesRow => ({
  tenant,
  open: true,
  suspended_name: '',
  membership: 'active',
  barred: false,
  roles: {},
  custom: {},
  platform_roles: {},
  lacks_sso: false,
  settings: {},
  ...changes,
});
const botRow = (changes: Partial<BotRolesRow> = {}): BotRolesRow => ({
  open: true,
  own_open: true,
  barred: false,
  roles: {},
  custom: {},
  platform_roles: {},
  ...changes,
});

async function heldBy(principal: Principal, row: unknown, asked = tenant) {
  const bitmaps = tokenRightsOf(await rightsOf(answering([row]), principal, asked));
  const named = (bitmap: Uint8Array) =>
    permissions.filter((permission) => hasPermission(bitmap, permission));
  return { inTenant: named(bitmaps.permissions), onPlatform: named(bitmaps.platformPermissions) };
}

const user = { type: 'user', id: 'usr_1', ssoTenant: '', limitedTo: '' };
const bot = { type: 'bot', id: 'bot_1', botTenant: tenant, ssoTenant: '', limitedTo: '' };
const nothing = { inTenant: [], onPlatform: [] };

test('Authority_Effective gives a member the permissions of its roles and of nothing else', async () => {
  const { inTenant, onPlatform } = await heldBy(user, userRow({ roles: { member: 'grt_1' } }));
  assert.deepEqual(inTenant, [
    'iam.tenant.read',
    'iam.users.read',
    'iam.groups.read',
    'iam.roles.read',
  ]);
  assert.deepEqual(onPlatform, []);
  assert.deepEqual(await heldBy(user, userRow()), nothing);
});

test('Authority_Effective gives nothing to a disabled member, to a stranger, and in a tenant that is not active', async () => {
  for (const changes of [{ membership: 'disabled' }, { membership: null }, { open: false }])
    assert.deepEqual(
      await heldBy(user, userRow({ roles: { owner: 'grt_1' }, ...changes })),
      nothing,
      JSON.stringify(changes),
    );
});

test('a platform-level grant holds in every active tenant, but not for a member who is disabled there', async () => {
  const granted = { platform_roles: { 'platform-support': 'grt_1' } };
  assert.ok(
    (await heldBy(user, userRow({ membership: null, ...granted }))).inTenant.includes(
      'iam.users.read',
    ),
  );
  for (const changes of [{ open: false }, { membership: 'disabled' }]) {
    const held = await heldBy(user, userRow({ ...granted, ...changes }));
    assert.deepEqual(held.inTenant, []);
    assert.ok(held.onPlatform.includes('iam.platform.users.read'));
  }
});

test('a session that lacks the single sign-on of its tenant holds nothing there, and hears why where it is a member', async () => {
  const granted = {
    roles: { owner: 'grt_1', scribe: 'grt_2' },
    custom: { scribe: ['app.x.read'] },
    platform_roles: { 'platform-owner': 'grt_1' },
    lacks_sso: true,
  };
  const held = await heldBy(user, userRow(granted));
  assert.deepEqual(held.inTenant, []);
  assert.ok(held.onPlatform.includes('iam.platform.users.read'));
  const rights = (changes: Partial<RolesRow>) =>
    rightsOf(answering([userRow({ ...granted, ...changes })]), user, tenant);
  assert.deepEqual((await rights({})).confers, []);
  assert.equal((await rights({})).ssoRequired, true);
  for (const changes of [
    { membership: null },
    { membership: 'disabled' },
    { barred: true },
    { lacks_sso: false },
  ])
    assert.equal((await rights(changes)).ssoRequired, false, JSON.stringify(changes));
});

test('a tenant demands something of the sessions of its active members that they use there', async () => {
  const settings = { sessionIdleMinutes: 30, sessionMaxMinutes: 600, recentLogin: true };
  const demands = async (changes: Partial<RolesRow>) =>
    (
      await rightsOf(
        answering([userRow({ roles: { owner: 'grt_1' }, settings, ...changes })]),
        user,
        tenant,
      )
    ).demands;
  assert.deepEqual(await demands({}), { idleMinutes: 30, maxMinutes: 600, recentLogin: true });
  for (const changes of [
    { settings: {} },
    { settings: null },
    { membership: null },
    { membership: 'disabled' },
    { lacks_sso: true },
    { barred: true },
  ])
    assert.deepEqual(
      await demands(changes),
      { idleMinutes: 0, maxMinutes: 0, recentLogin: false },
      JSON.stringify(changes),
    );
});

test('permissions of the platform never count in a tenant', async () => {
  const held = await heldBy(
    user,
    userRow({
      roles: { owner: 'grt_1', 'platform-owner': 'grt_2' },
      platform_roles: { 'platform-owner': 'grt_1' },
    }),
  );
  assert.ok(
    !held.inTenant.some(
      (permission) =>
        permission.startsWith('iam.platform.') || permission.startsWith('iam.internal.'),
    ),
  );
  assert.deepEqual(
    (await heldBy(user, userRow({ roles: { 'platform-owner': 'grt_1' } }))).inTenant,
    [],
  );
});

test('the platform key holds everything on the platform but the internals, and nothing in an unknown tenant', async () => {
  const key = { type: 'platform', id: 'platform', ssoTenant: '', limitedTo: '' };
  const held = await heldBy(key, { one: 1 });
  assert.deepEqual(
    held.onPlatform,
    permissions.filter((permission) => !permission.startsWith('iam.internal.')),
  );
  assert.ok(held.inTenant.includes('iam.tenant.delete'));
  const unknown = tokenRightsOf(await rightsOf(answering([]), key, tenant));
  assert.ok(unknown.permissions.every((byte) => byte === 0));
});

test('a bot holds what it was granted in its own tenant, narrowed by its key', async () => {
  assert.ok(
    (await heldBy(bot, botRow({ roles: { admin: 'grt_1' } }))).inTenant.includes(
      'iam.groups.write',
    ),
  );
  assert.deepEqual(
    (
      await heldBy(
        { ...bot, narrowedTo: ['iam.groups.*', 'iam.tenant.delete'] },
        botRow({ roles: { admin: 'grt_1' } }),
      )
    ).inTenant,
    ['iam.groups.read', 'iam.groups.write'],
  );
  assert.deepEqual(
    await heldBy(
      { ...bot, narrowedTo: ['app.x.read'] },
      botRow({ roles: { admin: 'grt_1' }, platform_roles: { 'platform-owner': 'grt_1' } }),
    ),
    nothing,
  );
});

test('a bot holds nothing in another tenant, nor anywhere while its own is suspended', async () => {
  assert.deepEqual(await heldBy(bot, botRow({ roles: { admin: 'grt_1' } }), 'tnt_2'), nothing);
  assert.deepEqual(
    await heldBy(
      bot,
      botRow({
        roles: { admin: 'grt_1' },
        platform_roles: { 'platform-owner': 'grt_1' },
        own_open: false,
      }),
    ),
    nothing,
  );
});

test('each permission that is held is known by a grant that gives it, the tenant’s own before the platform’s', async () => {
  const grantsOf = async (principal: Principal, row: unknown) => {
    const { grants } = tokenRightsOf(await rightsOf(answering([row]), principal, tenant));
    return Object.fromEntries(
      grants.map(({ id, permissions: bits }) => [
        id,
        permissions.filter((permission) => hasPermission(bits, permission)),
      ]),
    );
  };
  const granted = {
    roles: { member: 'grt_m', scribe: 'ggr_s' },
    custom: { scribe: ['iam.groups.*', 'app.x.read'] },
    platform_roles: { 'platform-support': 'grt_p' },
  };
  const held = await grantsOf(user, userRow(granted));
  assert.deepEqual(held['grt_m'], [
    'iam.tenant.read',
    'iam.users.read',
    'iam.groups.read',
    'iam.roles.read',
  ]);
  assert.deepEqual(held['ggr_s'], ['iam.groups.write']);
  const ofPlatform = held['grt_p'] ?? [];
  assert.ok(
    ofPlatform.includes('iam.platform.users.read') &&
      ofPlatform.includes('iam.audit.read') &&
      !ofPlatform.includes('iam.users.read'),
  );
  // A grant that gives nothing which the others do not is left out, and so is what a key is narrowed away from.
  assert.deepEqual(
    Object.keys(await grantsOf(user, userRow({ roles: { admin: 'grt_a', member: 'grt_m' } }))),
    ['grt_a'],
  );
  assert.deepEqual(
    await grantsOf(
      { ...bot, narrowedTo: ['iam.groups.read'] },
      botRow({ roles: { admin: 'bgr_a' } }),
    ),
    { bgr_a: ['iam.groups.read'] },
  );
  // A tenant that shuts the member out takes the grants there away, and none on the platform.
  assert.deepEqual(
    Object.keys(await grantsOf(user, userRow({ ...granted, membership: 'disabled' }))),
    ['grt_p'],
  );
  assert.deepEqual(
    await grantsOf({ type: 'platform', id: 'platform', ssoTenant: '', limitedTo: '' }, { one: 1 }),
    {},
  );
});

test('a role of the tenant itself counts like any other, and nothing counts for who is disabled', async () => {
  const held = {
    roles: { scribe: 'grt_1' },
    custom: { scribe: ['iam.groups.read', 'app.x.read'] },
  };
  assert.deepEqual((await heldBy(user, userRow(held))).inTenant, ['iam.groups.read']);
  assert.deepEqual((await heldBy(bot, botRow(held))).inTenant, ['iam.groups.read']);
  assert.deepEqual(
    await heldBy(
      user,
      userRow({ ...held, barred: true, platform_roles: { 'platform-owner': 'grt_1' } }),
    ),
    nothing,
  );
  assert.deepEqual(
    await heldBy(
      bot,
      botRow({ ...held, barred: true, platform_roles: { 'platform-owner': 'grt_1' } }),
    ),
    nothing,
  );
});

test('an owner may confer what an application calls its own, others only what they hold, and nobody the platform', async () => {
  const rights = (row: Partial<RolesRow>) => rightsOf(answering([userRow(row)]), user, tenant);
  const owner = await rights({ roles: { owner: 'grt_1' } });
  assert.ok(
    mayConfer(owner, 'app.x.read') &&
      mayConfer(owner, '*') &&
      !mayConfer(owner, 'iam.platform.users.read'),
  );
  const admin = await rights({
    roles: { admin: 'grt_1', scribe: 'grt_2' },
    custom: { scribe: ['app.x.*'] },
  });
  assert.ok(
    mayConfer(admin, 'app.x.read') &&
      mayConfer(admin, 'app.x.*') &&
      !mayConfer(admin, 'app.y.read') &&
      !mayConfer(admin, 'iam.*'),
  );
  const narrowed = await rightsOf(
    answering([botRow({ roles: { owner: 'grt_1' } })]),
    { ...bot, narrowedTo: ['app.x.*'] },
    tenant,
  );
  assert.ok(
    mayConfer(narrowed, 'app.x.read') &&
      !mayConfer(narrowed, 'app.y.read') &&
      !mayConfer(narrowed, '*'),
  );
});

test('a caller of no known kind holds nothing', async () => {
  for (const type of ['', 'worker', 'service', 'anonymous'])
    assert.deepEqual(
      await heldBy(
        { type, id: 'x', ssoTenant: '', limitedTo: '' },
        userRow({ roles: { owner: 'grt_1' } }),
      ),
      nothing,
    );
});
