import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Broker } from '../broker.ts';
import type { FollowLog } from './logs.ts';
import { createRightsCache } from './revocation.ts';

// Secrets leave the memory of a process that does not use them any more.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const broker = {
  signal() {},
  listen: () => Promise.resolve(),
  reach: () => Promise.resolve(),
} as unknown as Broker;

const follow: FollowLog = async () => ({
  keys: [],
  snapshot: '1',
  reset: false,
  deaf: false,
  complete: true,
});

/** Longer than a lease begins. */
const beginningMs = 150;
const lastsMs = 300;

/** Caches a value. Returns whether it is still in memory. */
async function cacheOne(t: TestContext, holdsSecrets: boolean): Promise<() => Promise<boolean>> {
  const cache = createRightsCache(broker, { notifications: follow }, { holdsSecrets });
  t.after(() => cache.close());
  const load = async () => {
    return { value: { secret: 'a secret' }, keys: ['credential:whk_1'] as const, lastsMs };
  };
  await sleep(0);
  await cache.getOrLoad('first', load);
  await sleep(beginningMs);
  const reference = new WeakRef(await cache.getOrLoad('second', load));
  return async () => {
    await sleep(0);
    collectGarbage();
    return reference.deref() !== undefined;
  };
}

/** Waits for three times as long as entries last, or until the value is gone. */
async function isHeldAtEnd(isHeld: () => Promise<boolean>): Promise<boolean> {
  const began = performance.now();
  while (performance.now() - began < 3 * lastsMs && (await isHeld()));
  return isHeld();
}

test('an entry with secrets leaves the memory at its end', async (t) => {
  const isHeld = await cacheOne(t, true);
  assert.equal(await isHeld(), true);
  assert.equal(await isHeldAtEnd(isHeld), false);
});

test('another entry may stay in memory until it is looked up', async (t) => {
  assert.equal(await isHeldAtEnd(await cacheOne(t, false)), true);
});
