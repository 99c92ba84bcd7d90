import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@bailiwick/database';
import { createMissFloor } from './miss-floor.ts';

/**
 * Milliseconds: how long the lane of imported hashes is busy, which is longer than the least floor,
 * and how long comparisons take.
 */
const [busy, slow, quick] = [700, 250, 5];

const compareWith = (has: boolean) =>
  createMissFloor({
    database: { query: () => Promise.resolve([{ has }]) } as Partial<Database> as Database,
    passwords: {
      async compare(stored, password) {
        const isImported = stored?.startsWith('imported ') === true;
        const ms = isImported ? busy + slow : quick;
        await sleep(ms);
        return { holds: password === 'right', ms };
      },
      async passImported() {
        await sleep(busy);
        return busy;
      },
    },
  });

async function least(work: () => Promise<unknown>): Promise<number> {
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    await work();
    ms = Math.min(ms, performance.now() - began);
  }
  return ms;
}

test('a wrong password takes as long for every kind of hash, however busy the lane of imported hashes is', async () => {
  const compare = compareWith(true);
  const times = await Promise.all(
    ['imported $2b$', '$argon2id$', undefined].map((stored) =>
      least(() => compare(stored, 'wrong')),
    ),
  );
  for (const ms of times) assert.ok(ms >= 990, `${ms} ms`);
  // Without the floor, the times differ by nearly `slow`.
  assert.ok(Math.max(...times) - Math.min(...times) < slow / 2, times.join(', '));
});

test('a right password does not wait, nor any while no user has an imported hash', async () => {
  assert.ok((await least(() => compareWith(true)('$argon2id$', 'right'))) < 150);
  assert.ok((await least(() => compareWith(false)('$argon2id$', 'wrong'))) < 150);
});
