import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { unavailable } from '@bailiwick/errors';
import { ConfigurationError, type Log } from '@bailiwick/process';
import { assertHashFile, countInHashFile } from './hash-file.ts';
import { openFolder } from './range-folder.ts';

// Passwords from known breaches, in the formats of the Pwned Passwords download. They are read from
// files of the operator, so that no password and no part of its hash leaves the installation. A
// lookup reads one file of a folder, some 80 KB, or of a single file some 25 pieces of 128 bytes and
// a block of 4 KB. The operating system caches the files.

/** Whether a password is known from a breach. */
export type IsBreached = (password: string) => Promise<boolean>;

/** Opens the files; undefined for ''. @throws ConfigurationError if they cannot be used */
export async function openBreached(location: string, log: Log): Promise<IsBreached | undefined> {
  if (location === '') return undefined;
  const count = await openFiles(location).catch((error: unknown) => {
    throw new ConfigurationError([
      `BAILIWICK_BREACHED_PASSWORDS names ${location}, which ${problemOf(error)}`,
    ]);
  });
  return async (password) => {
    try {
      for (const spelling of new Set([password, password.normalize('NFKC')]))
        if ((await count(hashOf(spelling))) > 0) return true;
      return false;
    } catch (error) {
      // Not the error itself: it names a file, and thereby a part of the hash.
      log.error('looking up a password in the breached ones failed, refusing the call', {
        location,
        problem: problemOf(error),
      });
      throw unavailable();
    }
  };
}

/** Counts the occurrences of a hash, in upper case. */
async function openFiles(location: string): Promise<(hash: string) => Promise<number>> {
  if ((await stat(location)).isDirectory()) return openFolder(location);
  await assertHashFile(location);
  return (hash) => countInHashFile(location, hash);
}

/** The format's hash. Passwords are stored as argon2id. */
const hashOf = (password: string): string =>
  createHash('sha1').update(password).digest('hex').toUpperCase();

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read';
  return 'code' in error ? `cannot be read (${String(error.code)})` : error.message;
}
