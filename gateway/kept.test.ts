import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKept } from './kept.ts';

test('a value is made once while it is kept, and only the last ones are kept', () => {
  const made: string[] = [];
  const kept = createKept<string>(2);
  const read = (key: string) =>
    kept.of(key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  for (const key of ['a', 'b', 'a', 'b', 'c', 'b', 'a']) assert.equal(read(key), key.toUpperCase());
  assert.deepEqual(made, ['a', 'b', 'c', 'a']);
});

test('a value that is set again is the newest', () => {
  const kept = createKept<number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    kept.set(key, value);
  assert.deepEqual(['a', 'b', 'c'].map(kept.get), [3, undefined, 4]);
});
