import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Makes the data folder, and tries whether files can be written there.
 * @throws an error of one line that says what to do
 */
export function prepareFolder(dir: string): void {
  const probe = join(dir, `.probe-${process.pid}`);
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new Error(
      `${dir} cannot be written to (${reasons[code] ?? code}): correct that, or choose another folder: BAILIWICK_DATA=<folder> npm start`,
      { cause: error },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'EACCES: it belongs to another user',
  EPERM: 'EPERM: it belongs to another user, or is protected',
  EROFS: 'EROFS: it is on a read-only file system',
  ENOSPC: 'ENOSPC: the disk is full',
  EDQUOT: 'EDQUOT: the quota of the user is used up',
  ENOTDIR: 'ENOTDIR: a part of its path is a file',
  EEXIST: 'EEXIST: it is a file',
  ENOENT: 'ENOENT: a part of its path leads nowhere or is read-only',
};
