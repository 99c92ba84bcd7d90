import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

// buf breaking against the newest release tag. Before the first release there is nothing to be compatible with.

const root = path.resolve(import.meta.dirname, '..');
const tag = spawnSync('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], { cwd: root, encoding: 'utf8' });
if (tag.status !== 0) {
  process.stdout.write('no release yet\n');
  process.exit(0);
}
const against = `.git#tag=${tag.stdout.trim()}`;
const outcome = spawnSync(path.join(root, 'node_modules/.bin/buf'), ['breaking', '--against', against], { cwd: root, stdio: 'inherit' });
process.exit(outcome.status ?? 1);
