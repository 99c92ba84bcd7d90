import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Test files run concurrently: one makes `kept`, the others wait for it. It is made under another
 * name beside `kept` and then renamed, so that no test sees an incomplete one.
 */
export async function makeOnce(
  file: string,
  make: (made: string) => Promise<void> | void,
): Promise<void> {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  // SQLite's lock is one of the operating system, which ends with its process, however that ends. A
  // pid in a file would outlive it, and be another process's later. The empty file stays.
  const lock = new DatabaseSync(`${file}.lock.sqlite`);
  try {
    while (!takeLock(lock)) await sleep(200);
    if (existsSync(file)) return;
    const aside = mkdtempSync(join(folder, '.making-'));
    try {
      await make(join(aside, 'made'));
      renameSync(join(aside, 'made'), file);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  } finally {
    lock.close();
  }
}

const busy = 5; // SQLITE_BUSY

function takeLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    return false;
  }
}
