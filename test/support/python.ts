import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from '@bailiwick/deploy/local/paths.ts';

// Python packages for tests, in a virtual environment below the cache. Nothing is installed on the
// host.

const run = promisify(execFile);

export type Python = { bin: string; reason?: never } | { bin?: never; reason: string };

/**
 * The folder of the programs of an environment with these packages, such as `flask==3.1.3`, or the
 * reason why there is none. `what` names the tests that need it.
 */
export async function findPython(what: string, requirements: readonly string[]): Promise<Python> {
  const folder = join(cacheDir, `python-${requirements.join('-').replaceAll('==', '-')}`);
  const bin = join(folder, 'bin');
  if (existsSync(bin)) return { bin };
  try {
    await make(folder, requirements);
    return { bin };
  } catch (error) {
    const words = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    return {
      reason: `NOT TESTED: ${what} need Python 3.10 or newer with venv and pip: ${words}`,
    };
  }
}

/**
 * Its scripts contain the folder in which they were made, so tools are called as modules: `python
 * -m`.
 */
async function make(folder: string, requirements: readonly string[]): Promise<void> {
  process.stderr.write(`installing ${requirements.join(' and ')} with pip, once …\n`);
  mkdirSync(dirname(folder), { recursive: true });
  const making = mkdtempSync(`${folder}.making-`);
  try {
    await run('python3', ['-m', 'venv', making], { timeout: 120_000 });
    await run(
      join(making, 'bin/python'),
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements],
      { timeout: 600_000 },
    );
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
