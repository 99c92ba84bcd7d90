import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDiskWatch } from './disk-watch.ts';
import { temporaryFolder } from './testing.ts';

const gib = 1024 ** 3;

test('a filling disk is said once, with the numbers and the cure, and once that it has room again', async () => {
  const lines: string[] = [];
  let free = 30;
  const watch = createDiskWatch({
    folder: '/data/.local',
    say: (line) => lines.push(line),
    read: () => Promise.resolve({ free: free * gib, size: 100 * gib }),
  });
  for (free of [30, 9.5, 9, 10.5, 9]) await watch.check();
  assert.equal(lines.length, 1, lines.join('\n'));
  assert.match(
    lines[0] ?? '',
    /^warning: only 9\.5 of 100\.0 GiB are free on the disk of \/data\/\.local[^\n]*BAILIWICK_DATA=<folder> npm start$/,
  );
  for (free of [13, 40]) await watch.check();
  assert.deepEqual(lines.slice(1), [
    '13.0 of 100.0 GiB are free on the disk of /data/.local: enough again',
  ]);
  free = 0.5;
  await watch.check();
  assert.match(lines[2] ?? '', /^warning: only 0\.5 of 100\.0 GiB/);
});

test('a file system that does not say its space gives no line and no error', async (t) => {
  const lines: string[] = [];
  const folder = `${temporaryFolder(t)}/missing`;
  await createDiskWatch({ folder, say: (line) => lines.push(line) }).check();
  assert.deepEqual(lines, []);
});
