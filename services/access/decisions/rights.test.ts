import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasPermission, permissions } from '@bailiwick/contract';
import type { Run } from '@bailiwick/store';
import type { BotRolesRow, RolesRow } from './queries.ts';
import { type Principal, rightsOf } from './rights.ts';
import { mayGrant, tokenRightsOf } from './rights-checks.ts';
import { anySession } from './session.ts';

const tenant = 'tnt_1';
const answering = (rows: unknown[]): Run => (() => Promise.resolve(rows)) as Run;

const ofNobody = { barred: false, roles: {}, custom: {}, platform_roles: {}, unchanged_ms: null };
const userRow = (changes: Partial<RolesRow> = {}): RolesRow => ({
  tenant,
  open: true,
  suspended_name: '',
  membership: 'active',
  ...ofNobody,
  lacks_sso: false,
  lacks_factor: false,
  settings: {},
  ...changes,
});
const botRow = (changes: Partial<BotRolesRow> = {}): BotRolesRow => ({
  open: true,
  own_open: true,
  ...ofNobody,
  ...changes,
});

async function permissionsOf(principal: Principal, row: unknown, requestedTenant = tenant) {
  const bitmaps = tokenRightsOf(await rightsOf(answering([row]), principal, requestedTenant));
  const named = (bitmap: Uint8Array) =>
    permissions.filter((permission) => hasPermission(bitmap, permission));
  return { inTenant: named(bitmaps.permissions), onPlatform: named(bitmaps.platformPermissions) };
}

const session = { ...anySession(''), assurance: '' };
const user = { type: 'user', id: 'usr_1', ...session };
const bot = { type: 'bot', id: 'bot_1', botTenant: tenant, ...session };
const ofMember = ['iam.tenant.read', 'iam.users.read', 'iam.groups.read', 'iam.roles.read'];
const nothing = { inTenant: [], onPlatform: [] };

test('a member has the permissions of its roles only', async () => {
  const { inTenant, onPlatform } = await permissionsOf(
    user,
    userRow({ roles: { member: 'grt_1' } }),
  );
  assert.deepEqual(inTenant, ofMember);
  assert.deepEqual(onPlatform, []);
  assert.deepEqual(await permissionsOf(user, userRow()), nothing);
});

test("a tenant's own role gives its permissions only, also with the slug of a new built-in role", async () => {
  const row = userRow({ roles: { follower: 'grt_1' }, custom: { follower: ['iam.groups.read'] } });
  assert.deepEqual((await permissionsOf(user, row)).inTenant, ['iam.groups.read']);
});

test('a disabled member, a stranger and a member of an inactive tenant have no permissions', async () => {
  for (const changes of [{ membership: 'disabled' }, { membership: null }, { open: false }])
    assert.deepEqual(
      await permissionsOf(user, userRow({ roles: { owner: 'grt_1' }, ...changes })),
      nothing,
      JSON.stringify(changes),
    );
});

test('a platform grant is effective in every active tenant, except for a member disabled there', async () => {
  const granted = { platform_roles: { 'platform-support': 'grt_1' } };
  assert.ok(
    (await permissionsOf(user, userRow({ membership: null, ...granted }))).inTenant.includes(
      'iam.users.read',
    ),
  );
  for (const changes of [{ open: false }, { membership: 'disabled' }]) {
    const effective = await permissionsOf(user, userRow({ ...granted, ...changes }));
    assert.deepEqual(effective.inTenant, []);
    assert.ok(effective.onPlatform.includes('iam.platform.users.read'));
  }
});

test('a session without the SSO or second factor that its tenant requires has no rights there, and a member gets the reason', async () => {
  const granted = {
    roles: { owner: 'grt_1', scribe: 'grt_2' },
    custom: { scribe: ['app.x.read'] },
    platform_roles: { 'platform-owner': 'grt_1' },
    lacks_sso: true,
  };
  const effective = await permissionsOf(user, userRow(granted));
  assert.deepEqual(effective.inTenant, []);
  assert.ok(effective.onPlatform.includes('iam.platform.users.read'));
  const rights = (changes: Partial<RolesRow>) =>
    rightsOf(answering([userRow({ ...granted, ...changes })]), user, tenant);
  assert.deepEqual((await rights({})).grantable, []);
  // Only AllowedMethods excludes a session while no SSO is required.
  const [refused, required] = [await rights({}), await rights({ settings: { requireSso: true } })];
  assert.deepEqual([refused.refusal, required.refusal], ['method_refused', 'sso_required']);
  for (const changes of [{ membership: null }, { membership: 'disabled' }, { barred: true }])
    assert.equal((await rights(changes)).refusal, 'not_member', JSON.stringify(changes));
  const lacking = await rights({ lacks_sso: false, lacks_factor: true });
  assert.equal(lacking.refusal, 'factor_required');
  assert.deepEqual(lacking.grantable, []);
});

test('session demands of a tenant apply to its active members only', async () => {
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
    { lacks_factor: true },
    { barred: true },
  ])
    assert.deepEqual(
      await demands(changes),
      { idleMinutes: 0, maxMinutes: 0, recentLogin: false },
      JSON.stringify(changes),
    );
});

test('platform permissions are never effective in a tenant', async () => {
  const effective = await permissionsOf(
    user,
    userRow({
      roles: { owner: 'grt_1', 'platform-owner': 'grt_2' },
      platform_roles: { 'platform-owner': 'grt_1' },
    }),
  );
  assert.ok(
    !effective.inTenant.some(
      (permission) =>
        permission.startsWith('iam.platform.') || permission.startsWith('iam.internal.'),
    ),
  );
  assert.deepEqual(
    (await permissionsOf(user, userRow({ roles: { 'platform-owner': 'grt_1' } }))).inTenant,
    [],
  );
});

test('the platform key has every platform permission except internal ones, and none in an unknown tenant', async () => {
  const key = { type: 'platform', id: 'platform', ...session };
  const effective = await permissionsOf(key, { one: 1 });
  assert.deepEqual(
    effective.onPlatform,
    permissions.filter((permission) => !permission.startsWith('iam.internal.')),
  );
  assert.ok(effective.inTenant.includes('iam.tenant.delete'));
  const unknown = tokenRightsOf(await rightsOf(answering([]), key, tenant));
  assert.ok(unknown.permissions.every((byte) => byte === 0));
});

test('a bot has the permissions of its grants in its own tenant, narrowed by its key', async () => {
  assert.ok(
    (await permissionsOf(bot, botRow({ roles: { admin: 'grt_1' } }))).inTenant.includes(
      'iam.groups.write',
    ),
  );
  assert.deepEqual(
    (
      await permissionsOf(
        { ...bot, narrowedTo: ['iam.groups.*', 'iam.tenant.delete'] },
        botRow({ roles: { admin: 'grt_1' } }),
      )
    ).inTenant,
    ['iam.groups.read', 'iam.groups.write'],
  );
  assert.deepEqual(
    await permissionsOf(
      { ...bot, narrowedTo: ['app.x.read'] },
      botRow({ roles: { admin: 'grt_1' }, platform_roles: { 'platform-owner': 'grt_1' } }),
    ),
    nothing,
  );
});

test('a bot has no permissions in another tenant, or anywhere while its own tenant is suspended', async () => {
  assert.deepEqual(
    await permissionsOf(bot, botRow({ roles: { admin: 'grt_1' } }), 'tnt_2'),
    nothing,
  );
  assert.deepEqual(
    await permissionsOf(
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

test('each permission names a grant that gives it, a tenant’s before the platform’s', async () => {
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
  const effective = await grantsOf(user, userRow(granted));
  assert.deepEqual(effective['grt_m'], ofMember);
  assert.deepEqual(effective['ggr_s'], ['iam.groups.write']);
  const ofPlatform = effective['grt_p'] ?? [];
  assert.ok(
    ofPlatform.includes('iam.platform.users.read') &&
      ofPlatform.includes('iam.audit.read') &&
      !ofPlatform.includes('iam.users.read'),
  );
  // A grant that adds no permission to the others is left out, and so are permissions outside a
  // key's narrowing.
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
  // A disabled membership blocks the grants in the tenant, but not those on the platform.
  assert.deepEqual(
    Object.keys(await grantsOf(user, userRow({ ...granted, membership: 'disabled' }))),
    ['grt_p'],
  );
  assert.deepEqual(
    await grantsOf({ type: 'platform', id: 'platform', ...session }, { one: 1 }),
    {},
  );
});

test('a support session has the rights of its user in tenants, without those from the platform', async () => {
  const platform_roles = { 'platform-owner': 'grt_p' };
  const row = userRow({ roles: { member: 'grt_1' }, platform_roles });
  const own = await permissionsOf({ ...user, type: 'support', operator: 'usr_2' }, row);
  assert.deepEqual(own, { inTenant: ofMember, onPlatform: [] });
  assert.deepEqual(await permissionsOf({ ...user, type: 'support' }, row), nothing);
});

test('a tenant’s own role is effective like a built-in one, and no role is for a disabled subject', async () => {
  const granted = {
    roles: { scribe: 'grt_1' },
    custom: { scribe: ['iam.groups.read', 'app.x.read'] },
  };
  assert.deepEqual((await permissionsOf(user, userRow(granted))).inTenant, ['iam.groups.read']);
  assert.deepEqual((await permissionsOf(bot, botRow(granted))).inTenant, ['iam.groups.read']);
  assert.deepEqual(
    await permissionsOf(
      user,
      userRow({ ...granted, barred: true, platform_roles: { 'platform-owner': 'grt_1' } }),
    ),
    nothing,
  );
  assert.deepEqual(
    await permissionsOf(
      bot,
      botRow({ ...granted, barred: true, platform_roles: { 'platform-owner': 'grt_1' } }),
    ),
    nothing,
  );
});

test('an owner may grant any application permission, other members only their own, and neither a platform permission', async () => {
  const rights = (row: Partial<RolesRow>) => rightsOf(answering([userRow(row)]), user, tenant);
  const owner = await rights({ roles: { owner: 'grt_1' } });
  assert.ok(
    mayGrant(owner, 'app.x.read') &&
      mayGrant(owner, '*') &&
      !mayGrant(owner, 'iam.platform.users.read'),
  );
  const admin = await rights({
    roles: { admin: 'grt_1', scribe: 'grt_2' },
    custom: { scribe: ['app.x.*'] },
  });
  assert.ok(
    mayGrant(admin, 'app.x.read') &&
      mayGrant(admin, 'app.x.*') &&
      !mayGrant(admin, 'app.y.read') &&
      !mayGrant(admin, 'iam.*'),
  );
  const narrowed = await rightsOf(
    answering([botRow({ roles: { owner: 'grt_1' } })]),
    { ...bot, narrowedTo: ['app.x.*'] },
    tenant,
  );
  assert.ok(
    mayGrant(narrowed, 'app.x.read') &&
      !mayGrant(narrowed, 'app.y.read') &&
      !mayGrant(narrowed, '*'),
  );
});

test('a caller of an unknown type has no permissions', async () => {
  for (const type of ['', 'worker', 'service', 'anonymous'])
    assert.deepEqual(
      await permissionsOf({ type, id: 'x', ...session }, userRow({ roles: { owner: 'grt_1' } })),
      nothing,
    );
});
