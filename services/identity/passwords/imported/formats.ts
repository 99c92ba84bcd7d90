import { Buffer } from 'node:buffer';
import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '@bailiwick/errors';
import { verify as verifyArgon2 } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import { phpass, phpassLog2, sha512Crypt } from './crypt.ts';

// The password hashes of other systems, in the form in which these export them. Each format limits
// the work of one comparison to about a second of one core and 128 MiB, and refuses hashes that a
// thief of the database would guess quickly.

/** Compares a password, as the person typed it, with one hash. */
export type Comparison = (password: string) => Promise<boolean>;

type Format = {
  /** Where the format comes from, for readers. */
  name: string;
  form: RegExp;
  /** @throws invalid_argument for a cost above the limit */
  read: (parts: Parts, hash: string) => Comparison;
};
/** The named groups of a form that matched. */
type Parts = Readonly<Record<string, string>>;

/** KiB, and KiB times passes. */
const argon2Limits = { memory: 131_072, leastWork: 4096, work: 524_288, lanes: 16 } as const;
const maxBcryptCost = 13;
const minScryptLog2N = 10;
/** Bytes: 128 · N · r · p. */
const maxScryptBytes = 128 * 1024 * 1024;
const minPbkdf2Iterations = 1000;
const maxPbkdf2Iterations = 1_500_000;
const maxSha512CryptRounds = 100_000;
const minPhpassLog2 = 10;
const maxPhpassLog2 = 16;

/** Bytes of a comparison's result that are kept: more do not make a password harder to guess. */
const fewestBytes = 16;
const mostBytes = 64;

function assertCost(isWithin: boolean, limit: string): void {
  if (!isWithin) throw invalid(`PasswordHash must have ${limit}`, 'HASH_COST');
}

/** Standard base64, and passlib's with `.` for `+`; padding is optional. */
const bytesOf = (base64: string): Buffer => Buffer.from(base64.replaceAll('.', '+'), 'base64');

function expected(base64: string): Buffer {
  const bytes = bytesOf(base64);
  if (bytes.length < fewestBytes || bytes.length > mostBytes)
    throw invalid(`PasswordHash must have a result of ${fewestBytes} to ${mostBytes} bytes`);
  return bytes;
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

const isSameText = (one: string, other: string): boolean =>
  isSame(Buffer.from(one), Buffer.from(other));

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

const digestBytes: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };

function readPbkdf2(
  digest: string,
  iterations: number,
  salt: Uint8Array,
  result: string,
): Comparison {
  // The first block alone identifies a password, and each further one would cost as much again.
  const wanted = expected(result).subarray(0, digestBytes[digest]);
  assertCost(
    iterations >= minPbkdf2Iterations && iterations <= maxPbkdf2Iterations,
    `${minPbkdf2Iterations} to ${maxPbkdf2Iterations} iterations of PBKDF2`,
  );
  return async (password) =>
    isSame(await derivePbkdf2(password, salt, iterations, wanted.length, digest), wanted);
}

type ScryptCost = { log2N: number; r: number; p: number };

/** scrypt within the limits. */
function scryptOf({ log2N, r, p }: ScryptCost) {
  const N = 2 ** log2N;
  const bytes = 128 * N * r * p;
  assertCost(
    log2N >= minScryptLog2N && r >= 1 && p >= 1 && bytes <= maxScryptBytes,
    `costs of scrypt with at least N=2^${minScryptLog2N}, and at most 128 MiB as 128·N·r·p`,
  );
  // Node adds the blocks of the lanes to the table.
  const cost = { N, r, p, maxmem: 2 * maxScryptBytes };
  return (password: string, salt: Uint8Array, length: number) =>
    deriveScrypt(password, salt, length, cost);
}

/** Firebase encrypts the project's key with the result of scrypt, and keeps the ciphertext. */
function readFirebase({
  n = '',
  r = '',
  p = '',
  separator = '',
  key = '',
  salt = '',
  result = '',
}: Parts): Comparison {
  const derive = scryptOf({ log2N: Number(n), r: Number(r), p: Number(p) });
  const [signer, wanted] = [bytesOf(key), expected(result)];
  const salted = Buffer.concat([bytesOf(salt), bytesOf(separator)]);
  return async (password) => {
    const cipher = createCipheriv(
      'aes-256-ctr',
      await derive(password, salted, 32),
      Buffer.alloc(16),
    );
    return isSame(Buffer.concat([cipher.update(signer), cipher.final()]), wanted);
  };
}

function readArgon2({ memory, passes, lanes }: Parts, hash: string): Comparison {
  const [m, t, p] = [Number(memory), Number(passes), Number(lanes)];
  const { memory: most, leastWork, work, lanes: mostLanes } = argon2Limits;
  assertCost(
    m <= most && m * t >= leastWork && m * t <= work && p <= mostLanes && p > 0 && m >= 8 * p,
    `costs of argon2 with m·t from ${leastWork} to ${work}, and at most m=${most} and p=${mostLanes}`,
  );
  return (password) => verifyArgon2(hash, password);
}

const base64 = '[A-Za-z0-9+/.]{2,172}={0,2}';

const formats: readonly Format[] = [
  {
    name: 'argon2id and argon2i, PHC',
    form: /^\$argon2id?\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,5}),p=(?<lanes>\d{1,3})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/,
    read: readArgon2,
  },
  {
    name: 'bcrypt',
    form: /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
    read({ cost }, hash) {
      assertCost(
        Number(cost) >= 4 && Number(cost) <= maxBcryptCost,
        `a cost of bcrypt from 4 to ${maxBcryptCost}`,
      );
      return (password) => verifyBcrypt(password, hash);
    },
  },
  {
    name: 'scrypt, PHC and passlib',
    form: new RegExp(
      `^\\$scrypt\\$ln=(?<n>\\d{1,2}),r=(?<r>\\d{1,3}),p=(?<p>\\d{1,3})\\$(?<salt>${base64})\\$(?<result>${base64})$`,
    ),
    read({ n, r, p, salt = '', result = '' }) {
      const derive = scryptOf({ log2N: Number(n), r: Number(r), p: Number(p) });
      const [bytes, wanted] = [bytesOf(salt), expected(result)];
      return async (password) => isSame(await derive(password, bytes, wanted.length), wanted);
    },
  },
  {
    name: 'scrypt as Firebase changes it',
    form: new RegExp(
      `^\\$fbscrypt\\$v=1,n=(?<n>\\d{1,2}),r=(?<r>\\d{1,3}),p=(?<p>\\d{1,3})(?:,ss=(?<separator>${base64}))?,sk=(?<key>${base64})\\$(?<salt>${base64})\\$(?<result>${base64})$`,
    ),
    read: readFirebase,
  },
  {
    name: 'PBKDF2, PHC and passlib',
    form: new RegExp(
      `^\\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\\$(?:i=)?(?<iterations>\\d{1,8})(?:,l=\\d{1,3})?\\$(?<salt>${base64})\\$(?<result>${base64})$`,
    ),
    // passlib writes the one with SHA-1 without a digest.
    read: ({ digest = 'sha1', iterations, salt = '', result = '' }) =>
      readPbkdf2(digest, Number(iterations), bytesOf(salt), result),
  },
  {
    name: 'PBKDF2, Django',
    form: new RegExp(
      `^pbkdf2_(?<digest>sha1|sha256)\\$(?<iterations>\\d{1,8})\\$(?<salt>[^$]{1,64})\\$(?<result>${base64})$`,
    ),
    read: ({ digest = '', iterations, salt = '', result = '' }) =>
      readPbkdf2(digest, Number(iterations), Buffer.from(salt), result),
  },
  {
    name: 'SHA-512-crypt',
    form: /^\$6\$(?:rounds=(?<rounds>\d{1,9})\$)?(?<salt>[^$:\n]{1,16})\$(?<result>[./A-Za-z0-9]{86})$/,
    read({ rounds: written = '5000', salt = '', result = '' }) {
      const rounds = Number(written);
      assertCost(
        rounds >= 1000 && rounds <= maxSha512CryptRounds,
        `1000 to ${maxSha512CryptRounds} rounds of SHA-512`,
      );
      return async (password) => isSameText(await sha512Crypt(password, { salt, rounds }), result);
    },
  },
  {
    name: 'phpass',
    form: /^\$[PH]\$(?<setting>[./A-Za-z0-9])(?<salt>[./A-Za-z0-9]{8})(?<result>[./A-Za-z0-9]{22})$/,
    read({ setting = '', salt = '', result = '' }) {
      const log2Rounds = phpassLog2(setting);
      assertCost(
        log2Rounds >= minPhpassLog2 && log2Rounds <= maxPhpassLog2,
        `2^${minPhpassLog2} to 2^${maxPhpassLog2} rounds of phpass`,
      );
      return async (password) => isSameText(await phpass(password, { salt, log2Rounds }), result);
    },
  },
];

/**
 * The comparison with a hash of another system; undefined for an unknown form.
 *
 * @throws invalid_argument for a hash whose comparison would take too much time or memory
 */
export function readFormat(hash: string): Comparison | undefined {
  for (const { form, read } of formats) {
    const found = form.exec(hash);
    if (found) return read(found.groups ?? {}, hash);
  }
  return undefined;
}
