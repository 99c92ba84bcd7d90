import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { ImportVerdict } from '../../client/gen/types.ts';
import { Refusal } from '../failure.ts';
import { say } from '../output.ts';
import { printable } from '../text.ts';

// The file of the users who failed.

const chunkBytes = 1024 * 1024;

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
  if (!existsSync(failedFile)) return;
  const name = printable(failedFile);
  if (!isReplaced)
    throw new Refusal(
      `${name} exists: import or delete it, give another file with --failed, or replace it with --restart`,
    );
  if (!holdsFailed(failedFile, 0))
    throw new Refusal(
      `${name} is not a file of failed users: --restart does not replace it, give another file with --failed`,
    );
  rmSync(failedFile);
}

/** The size and the digest of the file of failed users. */
export type FailedState = { failedBytes: number; failedDigest: string };

/** Writes failed users, and knows the state of the file. */
export type FailedWriter = ReturnType<typeof openFailed>;

/** Continues the file of failed users, which may not exist yet. */
export function openFailed(failedFile: string) {
  const hash = createHash('sha256');
  let failedBytes = 0;
  for (const chunk of chunksOf(failedFile, 0)) {
    hash.update(chunk);
    failedBytes += chunk.length;
  }
  return {
    write(user: object, { Code, Messages }: Reason): void {
      const line = Buffer.from(`${JSON.stringify({ ...user, Verdict: { Code, Messages } })}\n`);
      // Only for the owner of the file: it may hold password hashes.
      appendFileSync(failedFile, line, { mode: 0o600 });
      hash.update(line);
      failedBytes += line.length;
    },
    state: (): FailedState => ({ failedBytes, failedDigest: hash.copy().digest('hex') }),
  };
}

/**
 * Drops what an interrupted import wrote after its last stored progress: those users come again.
 * @throws Refusal if it could drop something else, such as the corrections of a user
 */
export function resumeFailed(failedFile: string, { failedBytes, failedDigest }: FailedState): void {
  const size = statSync(failedFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= failedBytes) return;
  const isUnchanged = digestOf(failedFile, failedBytes) === failedDigest;
  if (!isUnchanged || !holdsFailed(failedFile, failedBytes))
    throw new Refusal(
      `${printable(failedFile)} was changed after the import was interrupted: move it away to continue, and import it afterwards`,
    );
  truncateSync(failedFile, failedBytes);
}

function digestOf(file: string, bytes: number): string {
  const hash = createHash('sha256');
  for (const chunk of chunksOf(file, 0, bytes)) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Whether each line from a place on is a user with a verdict, as the import writes it. The last one
 * may be incomplete: the import was killed while it wrote.
 */
function holdsFailed(file: string, from: number): boolean {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (const chunk of chunksOf(file, from)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (!lines.every(isFailed)) return false;
  }
  return rest === '' || isFailed(rest) || (rest.startsWith('{') && parsed(rest) === undefined);
}

function isFailed(line: string): boolean {
  const user = parsed(line);
  return typeof user === 'object' && user !== null && 'Verdict' in user;
}

/** The JSON value of a line; undefined for other text. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A file in pieces, so that no size of it needs much memory; nothing of a missing file. */
function* chunksOf(file: string, from: number, to = Number.POSITIVE_INFINITY): Generator<Buffer> {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  try {
    for (let at = from; at < to; ) {
      const buffer = Buffer.alloc(Math.min(chunkBytes, to - at));
      const read = readSync(descriptor, buffer, 0, buffer.length, at);
      if (read === 0) return;
      yield buffer.subarray(0, read);
      at += read;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A dry run writes no file. */
export function showFailed(user: object, { Messages }: Reason): void {
  const name = 'Email' in user ? String(user.Email) : '';
  say(printable(`! ${name || 'a user without an address'}: ${Messages.join('; ')}`));
}
