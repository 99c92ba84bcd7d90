import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ancestorKeys, pathKey } from './path.ts';

test('a leading slash and letter case make no difference to a path', () => {
  for (const path of ['eng/Backend', '/eng/backend', '/ENG/BACKEND', 'eng/backend'])
    assert.equal(pathKey(path), 'eng/backend');
});

test('a group is below itself and every prefix of its path', () => {
  assert.deepEqual(ancestorKeys('eng'), ['eng']);
  assert.deepEqual(ancestorKeys('eng/backend/storage'), [
    'eng',
    'eng/backend',
    'eng/backend/storage',
  ]);
});

test('a prefix within a path segment is not an ancestor', () => {
  assert.ok(!ancestorKeys('engineering/x').includes('eng'));
});
