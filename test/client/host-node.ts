import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/**
 * The Node that a user of this host gets by typing `node`, not the workspace's, which runs the
 * tests.
 */
export function hostNode(): string {
  const own = realpathSync(process.execPath);
  const candidates = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'node'));
  return (
    candidates.find(
      (file) => existsSync(file) && realpathSync(file) !== own && !file.includes('node_modules'),
    ) ?? process.execPath
  );
}
