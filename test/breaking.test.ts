import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { findLastRelease } from './breaking.ts';

const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', [...identity, ...args], { cwd: folder });
const commit = (folder: string) =>
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'A change');

test('findLastRelease returns the newest release before the commit, even for a commit that is a release', (t) => {
  const folder = temporaryFolder(t);
  git(folder, 'init', '--quiet');
  commit(folder);
  assert.deepEqual(findLastRelease(folder), { reason: 'no release yet' });
  git(folder, 'tag', 'v0.1.0');
  assert.deepEqual(findLastRelease(folder), { reason: 'no release yet' });
  commit(folder);
  assert.deepEqual(findLastRelease(folder), { tag: 'v0.1.0' });
  git(folder, 'tag', 'v0.2.0');
  assert.deepEqual(findLastRelease(folder), { tag: 'v0.1.0' });
});

test('findLastRelease reports a clone without history', (t) => {
  const folder = temporaryFolder(t);
  const whole = join(folder, 'whole');
  git(folder, 'init', '--quiet', whole);
  commit(whole);
  git(whole, 'tag', 'v0.1.0');
  commit(whole);
  git(folder, 'clone', '--quiet', '--depth', '1', `file://${whole}`, 'shallow');
  assert.deepEqual(findLastRelease(join(folder, 'shallow')), {
    reason: 'NOT CHECKED: this clone has no history',
  });
});
