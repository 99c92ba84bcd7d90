import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

// Hashes that a machine guesses in millions a second. They are stored only inside argon2id: what
// argon2id hashes is the old hash in hexadecimal digits, which a sign-in computes from the password.

/** An old hash: its digits, and how a password leads to them. */
export type Weak = { algorithm: string; salt: string; digits: string };

const byLength: Readonly<Record<number, string>> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  128: 'sha512',
};

/** The algorithms of LDAP servers, and the bytes of their digests. */
const ofLdap: Readonly<Record<string, readonly [algorithm: string, bytes: number]>> = {
  MD5: ['md5', 16],
  SHA: ['sha1', 20],
  SHA256: ['sha256', 32],
  SHA384: ['sha384', 48],
  SHA512: ['sha512', 64],
};

/**
 * Reads the bare hexadecimal digits of MD5, SHA-1, SHA-256 and SHA-512, and the forms of LDAP servers:
 * `{MD5}`, `{SHA}`, `{SHA256}`, `{SHA384}` and `{SHA512}`, and with a salt `{SMD5}`, `{SSHA}` (RFC 2307)
 * and so on. Undefined for every other text.
 */
export function readWeak(hash: string): Weak | undefined {
  const bare = /^[0-9a-f]+$/i.test(hash) ? byLength[hash.length] : undefined;
  if (bare) return { algorithm: bare, salt: '', digits: hash.toLowerCase() };
  const [, salted, name = '', base64 = ''] =
    /^\{(S(?=MD5|SHA))?(MD5|SHA(?:256|384|512)?)\}([A-Za-z0-9+/]{20,128}={0,2})$/i.exec(hash) ?? [];
  const [algorithm, length] = ofLdap[name.toUpperCase()] ?? [];
  if (!algorithm || !length) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (salted ? bytes.length <= length : bytes.length !== length) return undefined;
  return {
    algorithm,
    salt: bytes.subarray(length).toString('base64url'),
    digits: bytes.subarray(0, length).toString('hex'),
  };
}

/** The digits of the old hash of a password. LDAP servers append the salt. */
const digitsOf = (password: string, { algorithm, salt }: Omit<Weak, 'digits'>): string =>
  createHash(algorithm).update(password).update(Buffer.from(salt, 'base64url')).digest('hex');

/** The text that is stored: the way from a password to the digits, and argon2id of the digits. */
export const wrapped = ({ algorithm, salt }: Weak, argon2id: string): string =>
  `${algorithm}:${salt}:${argon2id}`;

/** The stored hash, and what of a password it is the hash of; undefined for another text. */
export function unwrap(
  stored: string,
  password: string,
): { argon2id: string; digits: string } | undefined {
  const [, algorithm = '', salt = '', argon2id = ''] =
    /^(md5|sha1|sha256|sha384|sha512):([\w-]*):(\$argon2id\$.+)$/.exec(stored) ?? [];
  return algorithm === ''
    ? undefined
    : { argon2id, digits: digitsOf(password, { algorithm, salt }) };
}
