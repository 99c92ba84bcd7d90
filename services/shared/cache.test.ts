import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCache } from './cache.ts';

test('a cache makes a value once in its lifetime, for all who ask at once', async () => {
  let now = 0;
  let made = 0;
  const cache = createCache<number>({ size: 10, lifetimeMs: 100, now: () => now });
  const get = () => cache.get('a', () => Promise.resolve(++made));
  assert.deepEqual(await Promise.all([get(), get()]), [1, 1]);
  now = 100;
  assert.equal(await get(), 2);
});

test('a cache keeps no failure', async () => {
  const cache = createCache<number>({ size: 10, lifetimeMs: 100 });
  await assert.rejects(cache.get('a', () => Promise.reject(new Error('away'))));
  assert.equal(await cache.get('a', () => Promise.resolve(1)), 1);
});

test('a cache forgets the oldest entry when it is full', async () => {
  let made = 0;
  const cache = createCache<number>({ size: 2, lifetimeMs: 100 });
  for (const key of ['a', 'b', 'c', 'b', 'a']) await cache.get(key, () => Promise.resolve(++made));
  assert.equal(made, 4);
});

test('a cache that is told to forget makes anew what was meant, and nothing else', async () => {
  let made = 0;
  const cache = createCache<number>({ size: 10, lifetimeMs: 100 });
  const get = (key: string) => cache.get(key, () => Promise.resolve(++made));
  await Promise.all(['tnt_a/1', 'tnt_a/2', 'tnt_b/1'].map(get));
  cache.forgetWhere((key) => key.startsWith('tnt_a/'));
  assert.deepEqual(await Promise.all(['tnt_a/1', 'tnt_a/2', 'tnt_b/1'].map(get)), [4, 5, 3]);
});
