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
import type { Row } from '../../client/import/mod.ts';
import { Refusal } from '../failure.ts';
import { say } from '../output.ts';
import { printable } from '../text.ts';

// The files that an import writes beside its own: the users who failed, and those without a password.
// Each line is a user with a verdict, which can be imported again.

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
export function beginUserFile(failedFile: string, { isReplaced }: { isReplaced: boolean }): void {
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

/** The size and the digest of a file of users. */
export type FileState = { bytes: number; digest: string };

export const noFile: FileState = { bytes: 0, digest: '' };

/** Writes lines of users, and knows the state of the file. */
export type UserFile = ReturnType<typeof openUserFile>;

/** Continues a file of users, which may not exist yet. */
export function openUserFile(file: string) {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const chunk of chunksOf(file, 0)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return {
    write(line: string): void {
      const piece = Buffer.from(line);
      // Only for the owner of the file: it may hold password hashes.
      appendFileSync(file, piece, { mode: 0o600 });
      hash.update(piece);
      bytes += piece.length;
    },
    state: (): FileState => ({ bytes, digest: hash.copy().digest('hex') }),
  };
}

/**
 * Drops what an interrupted import wrote after its last stored progress: those users come again.
 * @throws Refusal if it could drop something else, such as the corrections of a user
 */
export function resumeUserFile(failedFile: string, { bytes, digest }: FileState): void {
  const size = statSync(failedFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= bytes) return;
  const isUnchanged = digestOf(failedFile, bytes) === digest;
  if (!isUnchanged || !holdsFailed(failedFile, bytes))
    throw new Refusal(
      `${printable(failedFile)} was changed after the import was interrupted: move it away to continue, and import it afterwards`,
    );
  truncateSync(failedFile, bytes);
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
export function showFailed({ line, user }: Row, { Messages }: Reason): void {
  const name = user.Email || `the user of line ${line}`;
  say(printable(`! ${name}: ${Messages.join('; ')}`));
}

/** The users of a file. Only a part of each is read. */
export function* usersOf(file: string): Generator<{ Email: string }> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (const chunk of chunksOf(file, 0)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as { Email: string };
  }
}
