import { readPublicKey } from '@bailiwick/contract';

// The published keys of a provider. The library selects one for each sign-in.

/** The used members of a published key. */
export type PublicKey = Readonly<Partial<Record<(typeof members)[number], string>>>;

/** `issuer`: whose tokens the key signs, at a provider with several issuers. */
const members = ['kty', 'use', 'alg', 'kid', 'n', 'e', 'crv', 'x', 'y', 'issuer'] as const;
const kinds: readonly unknown[] = ['RSA', 'EC', 'OKP'];
/** More keys than any provider publishes at once. */
const maxKeys = 50;
/** The keys of a list that are compared with each other. */
const maxListed = 500;
/** Longer than the modulus of the longest RSA key in use. */
const memberText = /^[ -~]{0,4096}$/;

/**
 * The signature keys of a published list, with their used members only. Certificates and other
 * members are dropped.
 */
export const readKeys = (published: readonly unknown[]): PublicKey[] =>
  distinctKeys(published.filter(isForSignatures).slice(0, maxListed).map(readKey)).slice(
    0,
    maxKeys,
  );

const materialOf = ({ kty, n, e, crv, x, y, issuer }: PublicKey): string =>
  JSON.stringify([kty, n, e, crv, x, y, issuer]);

/**
 * A key that is listed several times counts once, as several candidates verify nothing. The entry
 * with a kid serves tokens with and without one, the entry without alg serves all algorithms.
 */
export function distinctKeys<Key extends PublicKey>(keys: readonly Key[]): Key[] {
  const distinct = new Map<string, Key[]>();
  for (const key of keys) {
    const material = materialOf(key);
    const same = distinct.get(material) ?? [];
    if (!same.some((other) => serves(other, key)))
      distinct.set(material, [...same.filter((other) => !serves(key, other)), key]);
  }
  return [...distinct.values()].flat();
}

/** Whether the first entry of a key serves every token that the second one does. */
const serves = (one: PublicKey, other: PublicKey): boolean =>
  (other.kid === undefined || other.kid === one.kid) &&
  (one.alg === undefined || one.alg === other.alg);

function isForSignatures(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const key = value as Record<string, unknown>;
  const operations = key['key_ops'] ?? ['verify'];
  if (
    !kinds.includes(key['kty']) ||
    (key['use'] ?? 'sig') !== 'sig' ||
    !Array.isArray(operations) ||
    !operations.includes('verify')
  )
    return false;
  return members.every(
    (name) =>
      key[name] === undefined || (typeof key[name] === 'string' && memberText.test(key[name])),
  );
}

const readKey = (key: Record<string, unknown>): PublicKey =>
  Object.fromEntries(
    members.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
  );

const families: ReadonlyArray<readonly [RegExp, (key: PublicKey) => boolean]> = [
  [/^[RP]S/, ({ kty }) => kty === 'RSA'],
  [/^ES256/, ({ crv }) => crv === 'P-256'],
  [/^ES384/, ({ crv }) => crv === 'P-384'],
  [/^ES512/, ({ crv }) => crv === 'P-521'],
  [/^Ed/, ({ crv }) => crv === 'Ed25519'],
];

/** Whether a key can be imported, and nobody can forge signatures of it. */
export const isStrongKey = (key: PublicKey): boolean => weaknessOf(key) === '';

/** Why a key cannot be used; "" if it can. */
export function weaknessOf(key: PublicKey): string {
  const result = readPublicKey(key);
  return 'problem' in result ? result.problem : '';
}

/** Whether a key can verify signatures of one of the algorithms. */
export function isUsableKey(key: PublicKey, algorithms: readonly string[]): boolean {
  const usableAlgorithms = algorithms.filter((alg) =>
    families.some(([pattern, fits]) => pattern.test(alg) && fits(key)),
  );
  if (
    usableAlgorithms.length === 0 ||
    (key.alg !== undefined && !usableAlgorithms.includes(key.alg))
  )
    return false;
  return isStrongKey(key);
}
