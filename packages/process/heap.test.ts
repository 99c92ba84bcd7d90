import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
import { collectLoaded } from './heap.ts';

const skip = 'deno' in process.versions && 'Deno has no way to ask for it';

test('collectLoaded frees unused memory at once', { skip }, async () => {
  let objects: object[] | undefined = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  assert.equal(objects.length, 500_000);
  const before = process.memoryUsage().heapUsed;
  objects = undefined;
  await collectLoaded();
  const freed = before - process.memoryUsage().heapUsed;
  assert.ok(freed > 10_000_000, `${freed} bytes`);
});

test('boundHeap collects before garbage takes several times the memory in use', { skip }, () => {
  // In a process of its own, since the bound cannot be lifted.
  const program = `
    const { boundHeap, collectLoaded } = await import(${JSON.stringify(new URL('heap.ts', import.meta.url))});
    boundHeap();
    const used = () => process.memoryUsage().heapUsed;
    const live = Array.from({ length: 600 }, () => new Array(12_500).fill(0));
    await collectLoaded();
    const before = used();
    let most = 0;
    let garbage = [];
    for (let count = 0; count < 400_000; count++) {
      garbage.push(new Array(100).fill(count));
      if (garbage.length > 20_000) garbage = [];
      if (count % 1000 === 0) most = Math.max(most, used());
    }
    console.log(live.length && most / before);`;
  const args = ['--input-type=module', '--max-semi-space-size=8', '--eval', program];
  const growth = Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  // 1.8 with the bound, 4.4 without.
  assert.ok(growth < 3, String(growth));
});
