import assert from 'node:assert/strict';
import { test } from 'node:test';
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

for (const holdsSecrets of [true, false])
  test(`an entry ${holdsSecrets ? 'with secrets leaves' : 'stays in'} the memory at its end`, async (t) => {
    const cache = createRightsCache(broker, { notifications: follow }, { holdsSecrets });
    t.after(() => cache.close());
    const load = async () => {
      const value = { secret: 'a secret' };
      return { value, keys: ['credential:whk_1'] as const, lastsMs };
    };
    await sleep(0);
    await cache.getOrLoad('first', load);
    await sleep(beginningMs);
    const reference = new WeakRef(await cache.getOrLoad('second', load));
    const isHeld = async () => {
      await sleep(0);
      collectGarbage();
      return reference.deref() !== undefined;
    };
    assert.equal(await isHeld(), true);
    const began = performance.now();
    while (performance.now() - began < 5 * lastsMs && (await isHeld()));
    assert.equal(await isHeld(), !holdsSecrets);
  });
