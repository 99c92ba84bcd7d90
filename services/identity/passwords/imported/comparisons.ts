import { Buffer } from 'node:buffer';
import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '@bailiwick/errors';

// The common parts of the formats of other systems. Each limits the work of one comparison to about
// a second of one core and 128 MiB, and refuses hashes that a thief of the database would guess
// quickly.

/** Compares a password, as the person typed it, with one hash. */
export type Comparison = (password: string) => Promise<boolean>;

export type Format = {
  /** Where the format comes from, for readers. */
  name: string;
  form: RegExp;
  /** @throws invalid_argument for a cost above the limit */
  read: (parts: Parts, hash: string) => Comparison;
};
/** The named groups of a form that matched. */
export type Parts = Readonly<Record<string, string>>;

export function matchFormat(formats: readonly Format[], hash: string): Comparison | undefined {
  for (const { form, read } of formats) {
    const match = form.exec(hash);
    if (match) return read(match.groups ?? {}, hash);
  }
  return undefined;
}

const minScryptLog2N = 10;
/** Bytes: 128 · N · r · p. */
const maxScryptBytes = 128 * 1024 * 1024;
const minPbkdf2Iterations = 1000;
const maxPbkdf2Iterations = 1_500_000;

/** Bytes of a comparison's result that are kept: more do not make a password harder to guess. */
const fewestBytes = 16;
const mostBytes = 64;

export function assertCost(isWithin: boolean, limit: string): void {
  if (!isWithin) throw invalid(`PasswordHash must have ${limit}`, 'HASH_COST', { Limit: limit });
}

/** Standard base64, and passlib's with `.` for `+`; padding is optional. */
export const bytesOf = (base64: string): Buffer =>
  Buffer.from(base64.replaceAll('.', '+'), 'base64');

/** A result that is long enough to identify a password. */
export function assertLength(result: Buffer): Buffer {
  if (result.length < fewestBytes || result.length > mostBytes)
    throw invalid(`PasswordHash must have a result of ${fewestBytes} to ${mostBytes} bytes`);
  return result;
}

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

export const isSameText = (one: string, other: string): boolean =>
  isSame(Buffer.from(one), Buffer.from(other));

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

const digestBytes: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };

type Pbkdf2 = { digest: string; iterations: number; salt: Uint8Array; result: Buffer };

export function comparePbkdf2({ digest, iterations, salt, result }: Pbkdf2): Comparison {
  // The first block alone identifies a password, and each further one would cost as much again.
  const expected = assertLength(result).subarray(0, digestBytes[digest]);
  assertCost(
    iterations >= minPbkdf2Iterations && iterations <= maxPbkdf2Iterations,
    `${minPbkdf2Iterations} to ${maxPbkdf2Iterations} iterations of PBKDF2`,
  );
  return async (password) =>
    isSame(await derivePbkdf2(password, salt, iterations, expected.length, digest), expected);
}

export type ScryptCost = { log2N: number; r: number; p: number };

/** scrypt within the limits. */
export function scryptOf({ log2N, r, p }: ScryptCost) {
  const N = 2 ** log2N;
  const bytes = 128 * N * r * p;
  assertCost(
    Number.isInteger(log2N) &&
      log2N >= minScryptLog2N &&
      r >= 1 &&
      p >= 1 &&
      bytes <= maxScryptBytes,
    `costs of scrypt with at least N=2^${minScryptLog2N}, and at most 128 MiB as 128·N·r·p`,
  );
  // Node adds the blocks of the lanes to the table.
  const cost = { N, r, p, maxmem: 2 * maxScryptBytes };
  return (password: string, salt: Uint8Array, length: number) =>
    deriveScrypt(password, salt, length, cost);
}

export function compareScrypt(cost: ScryptCost, salt: Uint8Array, result: Buffer): Comparison {
  const derive = scryptOf(cost);
  const expected = assertLength(result);
  return async (password) => isSame(await derive(password, salt, expected.length), expected);
}
