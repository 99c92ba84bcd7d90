import { Buffer } from 'node:buffer';
import { ImportError, type Json, object, text } from '../../client/import/mod.ts';

// The password hashes of Auth0: its own, which are bcrypt, and those that its customers have imported
// and that no sign-in has renewed (custom_password_hash).

/** @throws ImportError for a hash that cannot be taken over */
export function auth0Hash(user: Json): string {
  const custom = object(user['custom_password_hash']);
  return text(user['passwordHash']) || (custom['algorithm'] ? customHash(custom) : '');
}

/** Algorithms whose hash is a text that names its own parameters. */
const inText = ['argon2', 'bcrypt', 'ldap', 'pbkdf2'];
const fast: Readonly<Record<string, string>> = {
  md5: 'MD5',
  sha1: 'SHA',
  sha256: 'SHA256',
  sha512: 'SHA512',
};

function customHash(custom: Json): string {
  const [hash, salt] = [object(custom['hash']), object(custom['salt'])];
  const algorithm = String(custom['algorithm']);
  if (inText.includes(algorithm)) return text(hash['value']);
  if (algorithm === 'scrypt') {
    const log2N = Math.log2(Number(custom['cost'] ?? 16_384));
    const [r, p] = [Number(custom['blockSize'] ?? 8), Number(custom['parallelization'] ?? 1)];
    return `$scrypt$ln=${log2N},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
  }
  const name = fast[algorithm];
  // LDAP's form has the salt behind the password.
  const isBefore = salt['position'] !== 'suffix' && salt['value'] !== undefined;
  if (name === undefined || isBefore)
    throw new ImportError(
      `the password has the hash ${algorithm}${isBefore ? ' with the salt before the password' : ''} in custom_password_hash, which is not known`,
    );
  const bytes = Buffer.concat([bytesOf(hash), bytesOf(salt)]).toString('base64');
  return `{${salt['value'] === undefined ? '' : 'S'}${name}}${bytes}`;
}

/** The bytes of a value in its encoding. */
function bytesOf({ value, encoding = 'utf8' }: Json): Buffer {
  const bufferEncoding = ['base64', 'hex', 'utf8'].find(
    (one) => one === encoding,
  ) as BufferEncoding;
  if (bufferEncoding === undefined)
    throw new ImportError(
      `custom_password_hash has the encoding ${String(encoding)}, which is not known`,
    );
  return Buffer.from(text(value), bufferEncoding);
}

const base64 = (part: Json): string => bytesOf(part).toString('base64').replace(/=+$/, '');
