import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { prepareFolder } from './data-folder.ts';
import { temporaryFolder } from './testing.ts';

test('prepareFolder makes a folder and leaves nothing in it', (t) => {
  const dir = join(temporaryFolder(t), 'a/b');
  prepareFolder(dir);
  prepareFolder(dir);
  assert.deepEqual(readdirSync(dir), []);
});

test('prepareFolder says in one line why a folder cannot be written to, and what to do', (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  for (const [dir, reason] of [
    [file, /EEXIST: it is a file/],
    [join(file, 'below'), /ENOTDIR: a part of its path is a file/],
  ] as const)
    assert.throws(
      () => prepareFolder(dir),
      (error: Error) => {
        assert.match(error.message, reason);
        assert.match(error.message, /^\S+ cannot be written to [^\n]*BAILIWICK_DATA=<folder>/);
        return true;
      },
    );
});
