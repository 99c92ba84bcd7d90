import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCache } from './cache.ts';

test('a cache loads a value once in its lifetime, even for concurrent callers', async () => {
  let loads = 0;
  const cache = createCache<number>({ size: 10, lifetimeMs: 50 });
  const get = () => cache.getOrLoad('a', () => Promise.resolve(++loads));
  assert.deepEqual(await Promise.all([get(), get()]), [1, 1]);
  await sleep(100);
  assert.equal(await get(), 2);
});

test('a cache does not keep failures', async () => {
  const cache = createCache<number>({ size: 10, lifetimeMs: 100 });
  await assert.rejects(cache.getOrLoad('a', () => Promise.reject(new Error('away'))));
  assert.equal(await cache.getOrLoad('a', () => Promise.resolve(1)), 1);
});

test('a full cache evicts the oldest entry', async () => {
  let loads = 0;
  const cache = createCache<number>({ size: 2, lifetimeMs: 100 });
  for (const key of ['a', 'b', 'c', 'b', 'a'])
    await cache.getOrLoad(key, () => Promise.resolve(++loads));
  assert.equal(loads, 4);
});

test('forgetWhere removes the matching entries only', async () => {
  let loads = 0;
  const cache = createCache<number>({ size: 10, lifetimeMs: 100 });
  const get = (key: string) => cache.getOrLoad(key, () => Promise.resolve(++loads));
  await Promise.all(['tnt_a/1', 'tnt_a/2', 'tnt_b/1'].map(get));
  cache.forgetWhere((key) => key.startsWith('tnt_a/'));
  assert.deepEqual(await Promise.all(['tnt_a/1', 'tnt_a/2', 'tnt_b/1'].map(get)), [4, 5, 3]);
});
