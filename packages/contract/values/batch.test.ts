import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatch } from './batch.ts';

/** A batch that doubles numbers and fails for 13, and the items of each run. */
function doubling() {
  const runs: number[][] = [];
  const double = createBatch(
    async (items: readonly number[]) => {
      runs.push([...items]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (items.includes(13)) throw Object.assign(new Error('13'), { code: '22P05' });
      if (items.includes(99)) throw new Error('the database is away');
      return items.map((number) => 2 * number);
    },
    { size: 3, atOnce: 1 },
  );
  return { double, runs };
}

test('items of one turn run together, and each caller gets its own result', async () => {
  const { double, runs } = doubling();
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map(double)), [2, 4, 6, 8]);
  assert.deepEqual(runs, [[1, 2, 3], [4]]);
});

test('an item that arrives during a run joins the next run', async () => {
  const { double, runs } = doubling();
  const first = double(1);
  await new Promise((resolve) => setTimeout(resolve, 2));
  await Promise.all([first, double(2), double(3)]);
  assert.deepEqual(runs, [[1], [2, 3]]);
});

test('an item that the database rejects does not fail the other items of its batch', async () => {
  const { double } = doubling();
  const [one, unlucky, three] = await Promise.allSettled([1, 13, 3].map(double));
  assert.deepEqual(
    [one?.status, unlucky?.status, three?.status],
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a batch that fails for another reason is not retried item by item', async () => {
  const { double, runs } = doubling();
  const results = await Promise.allSettled([1, 99, 3].map(double));
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.deepEqual(runs, [[1, 99, 3]]);
});

test('a batch may rest after a single item too', async () => {
  const runs: number[][] = [];
  const run = createBatch(
    async (items: readonly number[]) => {
      runs.push([...items]);
      return items;
    },
    { atOnce: 1, restMs: 20, restsAfterOne: true },
  );
  await run(1);
  const second = run(2);
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([second, run(3)]);
  assert.deepEqual(runs, [[1], [2, 3]]);
});

test('a batch rests after a run of several items, and not after a single one', async () => {
  const starts: Array<{ at: number; items: readonly number[] }> = [];
  const run = createBatch(
    async (items: readonly number[]) => {
      starts.push({ at: performance.now(), items });
      return items;
    },
    { atOnce: 1, restMs: 50 },
  );
  await run(1);
  await Promise.all([run(2), run(3)]);
  await Promise.all([run(4), run(5)]);
  assert.deepEqual(
    starts.map(({ items }) => items),
    [[1], [2, 3], [4, 5]],
  );
  const [first, second, third] = starts.map(({ at }) => at);
  assert.ok((second ?? 0) - (first ?? 0) < 45);
  assert.ok((third ?? 0) - (second ?? 0) >= 45);
});

test('a batch does not rest while as many items wait as one run takes', async (t) => {
  // Time stands still: a rest would not end.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const runs: number[][] = [];
  const run = createBatch(
    async (items: readonly number[]) => {
      runs.push([...items]);
      return items;
    },
    { size: 3, atOnce: 1, restMs: 1 },
  );
  await Promise.all([1, 2, 3, 4, 5, 6].map(run));
  const late = [7, 8].map(run);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(runs, [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  await Promise.all([...late, run(9)]);
  assert.deepEqual(runs.at(-1), [7, 8, 9]);
});
