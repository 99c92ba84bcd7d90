import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred, loadDeferred } from './deferred.ts';

test('a deferred part is loaded once: with its first use, or when the process is ready', async () => {
  const loaded: string[] = [];
  const define = (name: string) =>
    deferred(async () => {
      loaded.push(name);
      return name;
    });
  const [used, unused] = [define('used'), define('unused')];
  assert.deepEqual([await used(), await used()], ['used', 'used']);
  assert.deepEqual(loaded, ['used']);
  await loadDeferred();
  assert.deepEqual(loaded, ['used', 'unused']);
  assert.equal(await unused(), 'unused');
  assert.deepEqual(loaded, ['used', 'unused']);
});

test('a deferred part that cannot be loaded is an error when the process is ready', async () => {
  deferred(() => Promise.reject(new Error('it is missing')));
  await assert.rejects(loadDeferred(), /it is missing/);
});
