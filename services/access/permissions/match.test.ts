import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissions } from '@bailiwick/proto/permissions.ts';
import { permissionsOf } from './builtin.ts';
import { includes, isPlatformOnly } from './match.ts';

test('a permission includes only itself', () => {
  assert.equal(includes(['iam.users.read'], 'iam.users.read'), true);
  for (const other of ['iam.users.write', 'iam.users', 'iam.users.read.all', 'iam.users.*', '*'])
    assert.equal(includes(['iam.users.read'], other), false, other);
});

test('a wildcard includes every permission below it, with either separator', () => {
  for (const wanted of ['app.reports.read', 'app.reports.read.all', 'app.reports.*'])
    assert.equal(includes(['app.reports.*'], wanted), true, wanted);
  for (const wanted of ['app.reports', 'app.reportsx.read', 'app.*', '*', 'iam.users.read'])
    assert.equal(includes(['app.reports.*'], wanted), false, wanted);
  assert.equal(includes(['app:reports:*'], 'app:reports:read'), true);
  assert.equal(includes(['app:reports:*'], 'app.reports.read'), false);
  assert.equal(includes(['*'], 'anything.at:all'), true);
});

test('neither * nor iam.* includes a permission of the platform or of the internals', () => {
  for (const pattern of ['*', 'iam.*'])
    for (const wanted of [
      'iam.platform.users.read',
      'iam.internal.deliver',
      'iam.platform.*',
      'iam.internal.*',
    ])
      assert.equal(includes([pattern], wanted), false, `${pattern} ${wanted}`);
  assert.equal(includes(['iam.platform.*'], 'iam.platform.users.read'), true);
  assert.equal(includes(['iam.platform.*'], 'iam.internal.deliver'), false);
  assert.equal(includes(['iam.internal.*'], 'iam.internal.deliver'), true);
  assert.equal(includes(['*'], 'iam.*'), true);
});

test('an empty list of grants includes no permission', () => {
  for (const wanted of ['*', 'iam.users.read', '']) assert.equal(includes([], wanted), false);
});

const permissionsAt = (role: string, level: 'tenant' | 'platform') =>
  permissions.filter((permission) => includes(permissionsOf(role, level), permission));

test('owner holds every permission of a tenant and none of the platform', () => {
  assert.deepEqual(
    permissionsAt('owner', 'tenant'),
    permissions.filter((permission) => !isPlatformOnly(permission)),
  );
});

test('admin has every permission of owner except deleting the tenant, and cannot grant owner', () => {
  assert.deepEqual(
    permissionsAt('admin', 'tenant'),
    permissionsAt('owner', 'tenant').filter((permission) => permission !== 'iam.tenant.delete'),
  );
  assert.equal(includes(permissionsOf('admin', 'tenant'), 'iam.*'), false);
});

test('member has four read permissions', () => {
  assert.deepEqual(permissionsAt('member', 'tenant'), [
    'iam.tenant.read',
    'iam.users.read',
    'iam.groups.read',
    'iam.roles.read',
  ]);
});

test('auditor reads everything, exports the audit and writes nothing', () => {
  const granted = permissionsAt('auditor', 'tenant');
  assert.ok(
    granted.every(
      (permission) => permission.endsWith('.read') || permission === 'iam.audit.export',
    ),
  );
  assert.ok(granted.includes('iam.grants.read') && granted.includes('iam.audit.export'));
});

test('platform-owner has every permission except internal ones', () => {
  assert.deepEqual(
    permissionsAt('platform-owner', 'platform'),
    permissions.filter((permission) => !permission.startsWith('iam.internal.')),
  );
});

test('a platform role granted in a tenant gives no permissions', () => {
  assert.deepEqual(permissionsAt('platform-owner', 'tenant'), []);
  assert.deepEqual(permissionsAt('platform-support', 'tenant'), []);
});

test('an unknown role gives no permissions', () => {
  for (const role of ['', 'nobody', '__proto__', 'constructor'])
    assert.deepEqual(permissionsOf(role, 'platform'), []);
});
