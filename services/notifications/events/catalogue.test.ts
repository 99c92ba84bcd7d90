import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheKeysOf } from '@bailiwick/outbox';
import { types } from './catalogue.ts';

test('the table of cache keys names every event of the catalogue', () => {
  assert.ok(types.size > 50);
  for (const type of types.keys())
    assert.doesNotThrow(() => cacheKeysOf({ tenant: '', type, data: {}, targets: [] }), type);
});
