import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { collectLoaded } from './heap.ts';

const skip = 'deno' in process.versions && 'Deno has no way to ask for it';

test('collectLoaded frees unused memory at once', { skip }, async () => {
  let left: object[] | undefined = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  assert.equal(left.length, 500_000);
  const before = process.memoryUsage().heapUsed;
  left = undefined;
  await collectLoaded();
  const freed = before - process.memoryUsage().heapUsed;
  assert.ok(freed > 10_000_000, `${freed} bytes`);
});
