import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unavailable } from '@bailiwick/errors';
import type { Entry } from './chain.ts';
import { createBatcher } from './projector.ts';

const entry = (ID: string) => ({ ID }) as Entry;
const idsOf = (entries: readonly Entry[]) => entries.map(({ ID }) => ID);

test('entries that arrive together or during a write form one batch, in order of arrival', async () => {
  const batches: string[][] = [];
  const late: Array<Promise<void>> = [];
  const append = createBatcher(async (entries) => {
    batches.push(idsOf(entries));
    if (batches.length === 1) late.push(append(entry('c')), append(entry('d')));
    await new Promise((resolve) => setImmediate(resolve));
  });
  await Promise.all(['a', 'b'].map((id) => append(entry(id))));
  await Promise.all(late);
  await append(entry('e'));
  assert.deepEqual(batches, [['a', 'b'], ['c', 'd'], ['e']]);
});

test('an entry that cannot be stored does not hold up the others of its batch', async () => {
  const stored: string[] = [];
  const append = createBatcher(async (entries) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (idsOf(entries).includes('bad')) throw new Error('cannot be stored');
    stored.push(...idsOf(entries));
  });
  const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((id) => append(entry(id))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(stored, ['a', 'b', 'c']);
});

test('while the database is down, a batch fails at once', async () => {
  let calls = 0;
  const append = createBatcher(async () => {
    calls++;
    await new Promise((resolve) => setImmediate(resolve));
    throw unavailable();
  });
  const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => append(entry(id))));
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.equal(calls, 1);
});
