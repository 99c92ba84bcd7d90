import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCaller } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import type { Database } from '@bailiwick/store';
import { visibleTo } from './visible.ts';

/** The tenants whose groups a user sees of their own with an access token of the tenant. */
async function visibleWith(row: object): Promise<readonly string[]> {
  const own = { tenant: 'tnt_1', open: true, suspended_name: '', membership: 'active' };
  const none = { barred: false, roles: {}, custom: {}, platform_roles: {}, settings: {} };
  const rolesRow = { ...own, ...none, lacks_sso: false, lacks_factor: false, ...row };
  const database = { query: async () => [rolesRow] } as unknown as Database;
  const caller = newCaller({ type: 'user', id: 'usr_1', limitedTo: 'tnt_1', clientId: 'app_1' });
  const call = { caller, allowedBy: { kind: 'self', field: 'caller' } } as unknown as Call;
  return (await visibleTo(database, call, 'iam.groups.read')).tenants;
}

test('a session that fails the requirements of its tenant sees nothing there, not even of its own', async () => {
  assert.deepEqual(await visibleWith({}), ['tnt_1']);
  assert.deepEqual(await visibleWith({ lacks_sso: true }), []);
  assert.deepEqual(await visibleWith({ lacks_sso: true, settings: { requireSso: true } }), []);
  assert.deepEqual(await visibleWith({ lacks_factor: true }), []);
});
