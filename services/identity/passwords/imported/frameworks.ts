import { Buffer } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import {
  type Comparison,
  comparePbkdf2,
  compareScrypt,
  type Format,
  matchFormat,
} from './comparisons.ts';
import { readFormat } from './formats.ts';

// The password hashes of web frameworks and directories, which write known functions in a form of
// their own.

/** Django hashes first, because bcrypt reads 72 bytes only. */
const sha256Hex = (password: string): string => createHash('sha256').update(password).digest('hex');

/** The characters that PHP's trim removes. */
const phpSpace = ' \t\n\r\0\v';

/** The text that WordPress 6.8 gives to bcrypt. Source: wp_hash_password. */
function wordpressDigest(password: string): string {
  let [first, end] = [0, password.length];
  while (first < end && phpSpace.includes(password[first] ?? '')) first++;
  while (end > first && phpSpace.includes(password[end - 1] ?? '')) end--;
  return createHmac('sha384', 'wp-sha384').update(password.slice(first, end)).digest('base64');
}

const asTyped = (password: string): string => password;

/** The text of frameworks before a known hash, and the text that they hash for a password. */
const prefixes: ReadonlyArray<readonly [prefix: RegExp, change: (password: string) => string]> = [
  [/^argon2(?=\$argon2)/, asTyped], // Django
  [/^bcrypt\$(?=\$2)/, asTyped], // Django
  [/^bcrypt_sha256\$(?=\$2)/, sha256Hex], // Django
  [/^\$wp(?=\$2y\$)/, wordpressDigest],
  [/^\{(?:crypt|argon2|bcrypt)\}(?=\$)/i, asTyped], // OpenLDAP, Dovecot and Spring Security
];

/**
 * Devise appends a pepper to the password: a secret of the application, in base64url before the hash.
 * bcrypt reads the first 72 bytes of both.
 */
const pepperForm = /^\$bcrypt-pepper\$(?<pepper>[A-Za-z0-9_-]{2,342})(?<hash>\$2[aby]\$.+)$/;

function readPeppered(hash: string): Comparison | undefined {
  const { pepper = '', hash: inner = '' } = pepperForm.exec(hash)?.groups ?? {};
  const compare = readFormat(inner);
  const suffix = Buffer.from(pepper, 'base64url').toString();
  return compare && ((password) => compare(password + suffix));
}

/** The digests of ASP.NET's KeyDerivationPrf by their numbers. */
const aspNetDigests = ['sha1', 'sha256', 'sha512'];

/** Version, digest, iterations and length of the salt; salt of 16 bytes; key of 32 bytes. */
function readAspNet3({ base64 = '' }): Comparison {
  const bytes = Buffer.from(base64, 'base64');
  return comparePbkdf2({
    digest: aspNetDigests[bytes.readUInt32BE(1)] ?? '',
    iterations: bytes.readUInt32BE(5),
    salt: bytes.subarray(13, 29),
    result: bytes.subarray(29),
  });
}

/** Version, salt and key. */
function readAspNet2({ base64 = '' }): Comparison {
  const bytes = Buffer.from(base64, 'base64');
  const [salt, result] = [bytes.subarray(1, 17), bytes.subarray(17)];
  return comparePbkdf2({ digest: 'sha1', iterations: 1000, salt, result });
}

const betterAuthCost = { log2N: 14, r: 16, p: 1 } as const;

function readBetterAuth({ salt = '', result = '' }): Comparison {
  const compare = compareScrypt(betterAuthCost, Buffer.from(salt), Buffer.from(result, 'hex'));
  return (password) => compare(password.normalize('NFKC'));
}

const scryptCost = ({ n = '', r = '', p = '' }) => ({
  log2N: Math.log2(Number(n)),
  r: Number(r),
  p: Number(p),
});

const base64 = '[A-Za-z0-9+/]{22,172}={0,2}';

const formats: readonly Format[] = [
  {
    name: 'PBKDF2, Django',
    form: new RegExp(
      `^pbkdf2_(?<digest>sha1|sha256)\\$(?<iterations>\\d{1,8})\\$(?<salt>[^$]{1,64})\\$(?<result>${base64})$`,
    ),
    read: ({ digest = '', iterations, salt = '', result = '' }) =>
      comparePbkdf2({
        digest,
        iterations: Number(iterations),
        salt: Buffer.from(salt),
        result: Buffer.from(result, 'base64'),
      }),
  },
  {
    name: 'scrypt, Django',
    form: new RegExp(
      `^scrypt\\$(?<n>\\d{1,8})\\$(?<salt>[^$]{1,64})\\$(?<r>\\d{1,3})\\$(?<p>\\d{1,3})\\$(?<result>${base64})$`,
    ),
    read: ({ salt = '', result = '', ...cost }) =>
      compareScrypt(scryptCost(cost), Buffer.from(salt), Buffer.from(result, 'base64')),
  },
  {
    name: 'PBKDF2, Werkzeug (Flask)',
    form: /^pbkdf2:(?<digest>sha1|sha256|sha512):(?<iterations>\d{1,8})\$(?<salt>[^$]{1,64})\$(?<result>[0-9a-f]{40,128})$/,
    read: ({ digest = '', iterations, salt = '', result = '' }) =>
      comparePbkdf2({
        digest,
        iterations: Number(iterations),
        salt: Buffer.from(salt),
        result: Buffer.from(result, 'hex'),
      }),
  },
  {
    name: 'scrypt, Werkzeug (Flask)',
    form: /^scrypt:(?<n>\d{1,8}):(?<r>\d{1,3}):(?<p>\d{1,3})\$(?<salt>[^$]{1,64})\$(?<result>[0-9a-f]{128})$/,
    read: ({ salt = '', result = '', ...cost }) =>
      compareScrypt(scryptCost(cost), Buffer.from(salt), Buffer.from(result, 'hex')),
  },
  {
    name: 'scrypt, Better Auth',
    form: /^(?<salt>[0-9a-f]{32}):(?<result>[0-9a-f]{128})$/,
    read: readBetterAuth,
  },
  {
    // The version is 1, the digest 0 to 2, the iterations are fewer than 2^24, the salt has 16 bytes.
    name: 'PBKDF2, ASP.NET Core Identity (version 3)',
    form: /^(?<base64>AQAAAA[AEI]A[A-Za-z0-9+/]{4}AAAAE[A-P][A-Za-z0-9+/]{64}==)$/,
    read: readAspNet3,
  },
  {
    name: 'PBKDF2, ASP.NET Identity (version 2)',
    form: /^(?<base64>A[A-P][A-Za-z0-9+/]{64}==)$/,
    read: readAspNet2,
  },
];

/**
 * The comparison with a hash of a framework; undefined for another text.
 *
 * @throws invalid_argument for a hash whose comparison would take too much time or memory
 */
export function readFramework(hash: string): Comparison | undefined {
  for (const [prefix, change] of prefixes) {
    const match = prefix.exec(hash);
    if (!match) continue;
    const compare = readFormat(hash.slice(match[0].length));
    return compare && ((password) => compare(change(password)));
  }
  return matchFormat(formats, hash) ?? readPeppered(hash);
}
