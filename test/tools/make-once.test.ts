import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeOnce } from './make-once.ts';

function keep(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-make-once-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'tool');
}

test('a tool that a killed process was making is made by the next one', {
  timeout: 20_000,
}, async (t) => {
  const file = keep(t);
  const other = fork(join(import.meta.dirname, 'make-for-ever.ts'), [file]);
  t.after(() => other.kill('SIGKILL'));
  await once(other, 'message');
  // The lock of an earlier version, whose pid is another process's by now.
  writeFileSync(`${file}.lock`, String(process.pid));
  let isKilled = false;
  const making = makeOnce(file, (target) =>
    writeFileSync(target, isKilled ? 'after' : 'meanwhile'),
  );
  // Twice the time between two tries.
  await sleep(400);
  isKilled = true;
  other.kill('SIGKILL');
  await making;
  assert.equal(readFileSync(file, 'utf8'), 'after');
});

test('concurrent makers make a tool once, and a failed one leaves it to the next', async (t) => {
  const file = keep(t);
  let makers = 0;
  const make = async (target: string) => {
    makers += 1;
    writeFileSync(target, 'part');
    await sleep(20);
    if (makers === 1) throw new Error('no network');
    writeFileSync(target, 'whole');
  };
  const results = await Promise.allSettled([1, 2, 3].map(() => makeOnce(file, make)));
  assert.deepEqual(results.map(({ status }) => status).sort(), [
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  assert.equal(makers, 2);
  assert.equal(readFileSync(file, 'utf8'), 'whole');
});
