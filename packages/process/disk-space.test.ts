import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { isLow, readDiskSpace } from './disk-space.ts';

const gib = 1024 ** 3;

test('a disk is low with less than 1 GiB, and with less than a tenth up to 20 GiB', () => {
  const cases: ReadonlyArray<[free: number, size: number, low: boolean]> = [
    [0.9, 4, true],
    [1.1, 4, false],
    [9, 100, true],
    [11, 100, false],
    [19, 1000, true],
    [21, 1000, false],
  ];
  for (const [free, size, low] of cases)
    assert.equal(isLow({ free: free * gib, size: size * gib }), low, `${free} of ${size} GiB`);
});

test('a low disk counts as low until a fifth more is free', () => {
  const of100 = (free: number) => ({ free: free * gib, size: 100 * gib });
  assert.equal(isLow(of100(11), true), true);
  assert.equal(isLow(of100(12.1), true), false);
});

test('readDiskSpace reads the disk of a folder, and fails for a missing one', async () => {
  const { free, size } = await readDiskSpace(tmpdir());
  assert.ok(free > 0 && free <= size, `${free} of ${size}`);
  await assert.rejects(readDiskSpace('/nowhere/at/all'), { code: 'ENOENT' });
});
