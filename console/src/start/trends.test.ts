import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStats, levelsOf } from './trends.ts';

test('levelsOf goes back from the number of now, and never below zero', () => {
  assert.deepEqual(levelsOf(5, [1, 0, 3]), [2, 2, 5]);
  assert.deepEqual(levelsOf(2, [4, -1, 0]), [3, 2, 2]);
  assert.deepEqual(levelsOf(1, [0, 3, 0]), [0, 1, 1]);
  assert.deepEqual(levelsOf(7, []), []);
});

test('addStats adds the attempts of both areas, and takes one area alone', () => {
  const stats = (Delivered: number, Retried: number, Failed: number) => [
    { Start: '2026-11-01T00:00:00Z', Delivered, Retried, Failed, MeanMs: 0, LongestMs: 0 },
  ];
  const valuesOf = (moments: ReturnType<typeof addStats>) => moments.map(({ values }) => values);
  assert.deepEqual(valuesOf(addStats(stats(1, 2, 3), stats(10, 20, 30))), [[11, 55]]);
  assert.deepEqual(valuesOf(addStats(undefined, stats(1, 2, 3))), [[1, 5]]);
  assert.deepEqual(valuesOf(addStats(stats(1, 2, 3), undefined)), [[1, 5]]);
  assert.deepEqual(addStats(undefined, undefined), []);
});
