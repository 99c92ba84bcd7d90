import assert from 'node:assert/strict';
import { test } from 'node:test';
import { includes, isPlatformOnly, permissions } from '@bailiwick/contract';
import { permissionsOf } from './builtin.ts';

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

test('follower follows rights and does nothing else', () => {
  assert.deepEqual(permissionsAt('follower', 'tenant'), ['iam.rights.follow']);
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
