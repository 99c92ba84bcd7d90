import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { lockFolder } from './lock.ts';
import { temporaryFolder } from './testing.ts';

test('lockFolder rejects a folder that a running start holds', (t) => {
  const dir = temporaryFolder(t);
  writeFileSync(join(dir, 'lock'), String(process.ppid)); // the test runner, which names this file
  assert.throws(
    () => lockFolder(dir, 'node'),
    /already running on .* \(process \d+\).*BAILIWICK_DATA/,
  );
});

test('lockFolder takes over the lock of a killed start, even if another process has its pid now', (t) => {
  const dir = temporaryFolder(t);
  for (const holder of ['999999999', String(process.ppid), String(process.pid), 'junk']) {
    writeFileSync(join(dir, 'lock'), holder);
    lockFolder(dir, 'a-command-without-a-process')();
  }
  lockFolder(dir, 'a-command-without-a-process')();
});
