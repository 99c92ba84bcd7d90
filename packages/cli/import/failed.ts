import { appendFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { ImportVerdict } from '../../client/gen/types.ts';
import { Refusal } from '../failure.ts';
import { say } from '../output.ts';
import { printable } from '../text.ts';

// The file of the users who failed.

export type Reason = Pick<ImportVerdict, 'Code' | 'Messages'>;

/** @throws Refusal if the file of failed users is one that the import reads or keeps */
export function assertOtherFile(failedFile: string, others: readonly string[]): void {
  const same = others.find((other) => isSameFile(failedFile, other));
  if (same !== undefined)
    throw new Refusal(`--failed must be another file than ${printable(same)}`);
}

/** Whether two paths lead to one file, through links too. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first && second
    ? first.dev === second.dev && first.ino === second.ino
    : path.resolve(one) === path.resolve(other);
}

/**
 * Prepares the file of a new import. A file that exists stays: it may have corrections, or may be
 * another file altogether.
 */
export function beginFailed(failedFile: string, { isReplaced }: { isReplaced: boolean }): void {
  if (isReplaced) rmSync(failedFile, { force: true });
  else if (existsSync(failedFile))
    throw new Refusal(
      `${printable(failedFile)} exists: import or delete it, give another file with --failed, or replace it with --restart`,
    );
}

/** Drops what an interrupted import wrote after its last stored progress: those users come again. */
export function resumeFailed(failedFile: string, bytes: number): void {
  if (failedBytes(failedFile) > bytes) truncateSync(failedFile, bytes);
}

export const failedBytes = (failedFile: string): number =>
  statSync(failedFile, { throwIfNoEntry: false })?.size ?? 0;

export function writeFailed(failedFile: string, user: object, { Code, Messages }: Reason): void {
  const line = `${JSON.stringify({ ...user, Verdict: { Code, Messages } })}\n`;
  // Only for the owner of the file: it may hold password hashes.
  appendFileSync(failedFile, line, { mode: 0o600 });
}

/** A dry run writes no file. */
export function showFailed(user: object, { Messages }: Reason): void {
  const name = 'Email' in user ? String(user.Email) : '';
  say(printable(`! ${name || 'a user without an address'}: ${Messages.join('; ')}`));
}
