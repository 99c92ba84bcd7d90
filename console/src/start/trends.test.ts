import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStats, levelsOf } from './trends.ts';

test('levelsOf goes back from the number of now, and never below zero', () => {
  assert.deepEqual(levelsOf(5, [1, 0, 3]), [2, 2, 5]);
  assert.deepEqual(levelsOf(2, [4, -1, 0]), [3, 2, 2]);
  assert.deepEqual(levelsOf(1, [0, 3, 0]), [0, 1, 1]);
  assert.deepEqual(levelsOf(7, []), []);
});

test('addStats adds the attempts of both areas by their time, and takes one area alone', () => {
  const stats = (day: number, Delivered: number, Retried: number, Failed: number) => ({
    Start: `2026-11-0${day}T00:00:00Z`,
    Delivered,
    Retried,
    Failed,
    MeanMs: 0,
    LongestMs: 0,
  });
  const of = (...areas: ReadonlyArray<ReturnType<typeof stats>[] | undefined>) =>
    addStats(...areas).map(({ start, values }) => [start.slice(8, 10), ...values]);
  assert.deepEqual(of([stats(1, 1, 2, 3)], [stats(1, 10, 20, 30)]), [['01', 11, 55]]);
  assert.deepEqual(
    of([stats(2, 1, 2, 3), stats(3, 4, 0, 0)], [stats(1, 5, 0, 0), stats(2, 6, 0, 1)]),
    [
      ['01', 5, 0],
      ['02', 7, 6],
      ['03', 4, 0],
    ],
  );
  assert.deepEqual(of(undefined, [stats(1, 1, 2, 3)]), [['01', 1, 5]]);
  assert.deepEqual(of([stats(1, 1, 2, 3)], undefined), [['01', 1, 5]]);
  assert.deepEqual(of(undefined, undefined), []);
});
