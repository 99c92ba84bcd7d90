import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from './gen/help.ts';
import { isTenant } from './tenant.ts';

test('the default tenant applies to every operation whose request has a tenant', () => {
  for (const [name, { fields, tenant }] of Object.entries(operations))
    assert.deepEqual(
      fields.filter(isTenant).map(({ path }) => path),
      tenant === '' ? [] : [tenant],
      name,
    );
  assert.deepEqual(
    ['Audit_List', 'Keys_Rotate', 'Apps_Save'].map((name) => operations[name]?.tenant),
    ['Tenant', 'Tenant', 'App.Tenant'],
  );
});
