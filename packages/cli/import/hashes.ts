import { Buffer } from 'node:buffer';
import { ImportError } from '../../client/import/mod.ts';
import { Refusal } from '../failure.ts';
import type { Source } from './source.ts';

// Password hashes as other systems export them, in the forms that Users_Import takes.

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The parameters of a Firebase project: its console shows them above the list of users. */
export type FirebaseHash = { key: string; separator: string; rounds: string; memory: string };

/** Reads the console's text, or the same as JSON. */
export function readFirebaseHash(text: string): FirebaseHash {
  const parameter = (name: string): string => {
    const [, match] = new RegExp(`${name}"?\\s*[:=]\\s*"?([A-Za-z0-9+/=_-]+)`).exec(text) ?? [];
    if (match === undefined) throw new Refusal(`--firebase-hash: ${name} is missing`);
    return match;
  };
  return {
    key: standard(parameter('base64_signer_key')),
    separator: standard(parameter('base64_salt_separator')),
    rounds: parameter('rounds'),
    memory: parameter('mem_cost'),
  };
}

/** Standard base64, from that for addresses. */
const standard = (base64: string): string => base64.replaceAll('-', '+').replaceAll('_', '/');

export const firebaseHash = (
  { key, separator, rounds, memory }: FirebaseHash,
  salt: string,
  hash: string,
): string =>
  `$fbscrypt$v=1,n=${memory},r=${rounds},p=1,ss=${separator},sk=${key}$${standard(salt)}$${standard(hash)}`;

const unpadded = (base64: string): string => base64.replace(/=+$/, '');

/** The digests of Keycloak's PBKDF2, by the names of its algorithms. */
const digests: Readonly<Record<string, string>> = {
  pbkdf2: 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
};

/**
 * The password among a user's credentials in Keycloak; '' without one. Its data are JSON in texts.
 *
 * @throws ImportError for an algorithm of an extension
 */
export function keycloakHash(credentials: unknown): string {
  const credential: unknown = (Array.isArray(credentials) ? credentials : []).find(
    (one: unknown) => isRecord(one) && one['type'] === 'password',
  );
  if (!isRecord(credential)) return '';
  // Keycloak before 8 has them in the credential itself.
  const old = credential['hashedSaltedValue'];
  if (typeof old === 'string') return pbkdf2(credential, String(credential['salt']), old);
  const [parameters, secret] = [
    parsed(credential['credentialData']),
    parsed(credential['secretData']),
  ];
  const [salt, hash] = [String(secret['salt']), String(secret['value'])];
  return parameters['algorithm'] === 'argon2'
    ? argon2(parameters, unpadded(salt), unpadded(hash))
    : pbkdf2(parameters, salt, hash);
}

function pbkdf2(parameters: Json, salt: string, hash: string): string {
  const algorithm = String(parameters['algorithm']);
  const digest = digests[algorithm];
  if (digest === undefined)
    throw new ImportError(`the password has the algorithm ${algorithm}, which is not known`);
  return `$pbkdf2-${digest}$i=${String(parameters['hashIterations'])}$${unpadded(salt)}$${unpadded(hash)}`;
}

function argon2(parameters: Json, salt: string, hash: string): string {
  const more = isRecord(parameters['additionalParameters'])
    ? parameters['additionalParameters']
    : {};
  const first = (name: string): string => {
    const entry = more[name];
    return String(Array.isArray(entry) ? entry[0] : entry);
  };
  return `$argon2${first('type')}$v=19$m=${first('memory')},t=${String(parameters['hashIterations'])},p=${first('parallelism')}$${salt}$${hash}`;
}

function parsed(text: unknown): Json {
  try {
    const json: unknown = typeof text === 'string' ? JSON.parse(text) : text;
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}

/**
 * The source with Devise's pepper in its bcrypt hashes. Source: Devise::Encryptor, which hashes the
 * password followed by the pepper.
 */
export function peppered(source: Source, pepper: string): Source {
  const encoded = Buffer.from(pepper).toString('base64url');
  return {
    ...source,
    read(record) {
      const reading = source.read(record);
      const { user } = reading;
      const hash = user.PasswordHash ?? '';
      return /^\$2[aby]\$/.test(hash)
        ? { ...reading, user: { ...user, PasswordHash: `$bcrypt-pepper$${encoded}${hash}` } }
        : reading;
    },
  };
}
