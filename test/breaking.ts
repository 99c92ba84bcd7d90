import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

// Runs `buf breaking` against the newest release before this commit, which may be a release itself.
// Before the first release there is nothing to compare.

const root = path.resolve(import.meta.dirname, '..');

/** The tag to compare with, or the reason why there is none. */
export function findLastRelease(folder: string): { tag: string } | { tag?: never; reason: string } {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const describe = git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^');
  if (describe.status === 0) return { tag: describe.stdout.trim() };
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true';
  return { reason: isShallow ? 'NOT CHECKED: this clone has no history' : 'no release yet' };
}

if (import.meta.main) {
  const release = findLastRelease(root);
  if (release.tag === undefined) {
    process.stdout.write(`${release.reason}\n`);
    process.exit(0);
  }
  const against = `.git#tag=${release.tag}`;
  const outcome = spawnSync(
    path.join(root, 'node_modules/.bin/buf'),
    ['breaking', '--against', against],
    { cwd: root, stdio: 'inherit' },
  );
  process.exit(outcome.status ?? 1);
}
