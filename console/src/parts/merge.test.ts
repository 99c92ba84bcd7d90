import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differing, merge } from './merge.ts';

const base = { name: 'Shop', scopes: ['openid'], lifetime: 300 };

test('changes of different fields are both kept', () => {
  const mine = { ...base, name: 'Store' };
  const theirs = { ...base, scopes: ['openid', 'email'] };
  assert.deepEqual(merge(base, mine, theirs), {
    fields: { name: 'Store', scopes: ['openid', 'email'], lifetime: 300 },
    conflicts: [],
  });
});

test('a field that both have changed is a conflict, and the value of the user stays', () => {
  const mine = { ...base, name: 'Store', lifetime: 600 };
  const theirs = { ...base, name: 'Market', lifetime: 900, scopes: [] };
  assert.deepEqual(merge(base, mine, theirs), {
    fields: { name: 'Store', lifetime: 600, scopes: [] },
    conflicts: ['name', 'lifetime'],
  });
});

test('the same change of both is no conflict', () => {
  const changed = { ...base, scopes: ['openid', 'groups'] };
  assert.deepEqual(merge(base, changed, { ...changed }), { fields: changed, conflicts: [] });
});

test('only the fields that are not as in the record differ from it, also those that are cleared', () => {
  assert.deepEqual(differing({ ...base, scopes: [], lifetime: 300 }, base), { scopes: [] });
  assert.deepEqual(differing({ ...base }, base), {});
});
