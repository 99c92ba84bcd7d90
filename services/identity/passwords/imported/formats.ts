import { Buffer } from 'node:buffer';
import { createCipheriv } from 'node:crypto';
import { verify as verifyArgon2 } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import {
  assertCost,
  assertLength,
  bytesOf,
  type Comparison,
  comparePbkdf2,
  compareScrypt,
  type Format,
  isSame,
  isSameText,
  matchFormat,
  type Parts,
  scryptOf,
} from './comparisons.ts';
import { phpass, phpassLog2, sha256Crypt, sha512Crypt } from './crypt.ts';

// The password hashes of libraries that many systems share, in the form in which these store them.

/** KiB, and KiB times passes. */
const argon2Limits = { memory: 131_072, leastWork: 4096, work: 524_288, lanes: 16 } as const;
const maxBcryptCost = 14;
const minShaCryptRounds = 1000;
const maxShaCryptRounds = 100_000;
const minPhpassLog2 = 10;
const maxPhpassLog2 = 16;

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
  const [signer, expected] = [bytesOf(key), assertLength(bytesOf(result))];
  const salted = Buffer.concat([bytesOf(salt), bytesOf(separator)]);
  return async (password) => {
    const cipher = createCipheriv(
      'aes-256-ctr',
      await derive(password, salted, 32),
      Buffer.alloc(16),
    );
    return isSame(Buffer.concat([cipher.update(signer), cipher.final()]), expected);
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

const shaCryptForm = (scheme: number, length: number): RegExp =>
  new RegExp(
    `^\\$${scheme}\\$(?:rounds=(?<rounds>\\d{1,9})\\$)?(?<salt>[^$:\\n]{1,16})\\$(?<result>[./A-Za-z0-9]{${length}})$`,
  );

function readShaCrypt(digest: string, crypt: typeof sha512Crypt): Format['read'] {
  return ({ rounds: written = '5000', salt = '', result = '' }) => {
    const rounds = Number(written);
    assertCost(
      rounds >= minShaCryptRounds && rounds <= maxShaCryptRounds,
      `${minShaCryptRounds} to ${maxShaCryptRounds} rounds of ${digest}`,
    );
    return async (password) => isSameText(await crypt(password, { salt, rounds }), result);
  };
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
    read: ({ n, r, p, salt = '', result = '' }) =>
      compareScrypt(
        { log2N: Number(n), r: Number(r), p: Number(p) },
        bytesOf(salt),
        bytesOf(result),
      ),
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
      comparePbkdf2({
        digest,
        iterations: Number(iterations),
        salt: bytesOf(salt),
        result: bytesOf(result),
      }),
  },
  {
    name: 'SHA-256-crypt',
    form: shaCryptForm(5, 43),
    read: readShaCrypt('SHA-256', sha256Crypt),
  },
  {
    name: 'SHA-512-crypt',
    form: shaCryptForm(6, 86),
    read: readShaCrypt('SHA-512', sha512Crypt),
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
 * The comparison with a hash of a library; undefined for another text.
 *
 * @throws invalid_argument for a hash whose comparison would take too much time or memory
 */
export const readFormat = (hash: string): Comparison | undefined => matchFormat(formats, hash);
