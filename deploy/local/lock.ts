import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isRunning } from './pids.ts';

/**
 * Locks the data folder for this process and returns the function that unlocks it. @throws if a
 * running start, backup or restore holds it
 */
export function lockFolder(dir: string, commandMentions = 'deploy/local/'): () => void {
  const file = join(dir, 'lock');
  for (const attempt of [1, 2]) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 2) throw error;
    }
    const holder = Number(readFileSync(file, 'utf8'));
    // In a container the same small pid comes back after every restart.
    if (holder !== process.pid && isRunning(holder, commandMentions)) {
      throw new Error(
        `Bailiwick is already running on ${dir} (process ${holder}). Stop it, or choose another folder: BAILIWICK_DATA=<folder> npm start`,
      );
    }
    rmSync(file, { force: true });
  }
  throw new Error('unreachable');
}
