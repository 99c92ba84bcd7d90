import { invalid } from '@bailiwick/errors';
import { verify as verifyArgon2 } from '@node-rs/argon2';
import type { Comparison } from './comparisons.ts';
import { readFormat } from './formats.ts';
import { readFramework } from './frameworks.ts';
import { readWeak, unwrap, wrapped } from './weak.ts';

// Password hashes that an import has brought from another system. The first sign-in replaces them.

/**
 * The beginning of a stored hash of another system. The index of migration 028 has the same text.
 */
const mark = 'imported ';

const readStrong = (hash: string): Comparison | undefined =>
  readFormat(hash) ?? readFramework(hash);

export const isImported = (stored: string | null | undefined): boolean =>
  stored?.startsWith(mark) === true;

/**
 * The stored form of another system's hash. `harden` hashes with argon2id, for a hash that is too
 * weak to be stored as it is.
 *
 * @throws invalid_argument for an unknown form, and for costs above the limits
 */
export async function storedForm(
  hash: string,
  harden: (digits: string) => Promise<string>,
): Promise<string> {
  if (readStrong(hash)) return mark + hash;
  const weak = readWeak(hash);
  if (!weak) throw invalid('PasswordHash has an unsupported format', 'HASH_FORM');
  return mark + wrapped(weak, await harden(weak.digits));
}

/** @throws invalid_argument like `storedForm`, without the work */
export function assertReadable(hash: string): void {
  if (!readStrong(hash) && !readWeak(hash))
    throw invalid('PasswordHash has an unsupported format', 'HASH_FORM');
}

/**
 * The spellings of a password that the other system may have hashed: as the person typed it, and
 * with accents composed and decomposed, which keyboards of the same person do differently.
 */
export const spellingsOf = (password: string): readonly string[] => [
  ...new Set([password, password.normalize('NFC'), password.normalize('NFD')]),
];

/** Compares one spelling of a password with a stored hash of another system. */
export async function verifyImported(stored: string, password: string): Promise<boolean> {
  const hash = stored.slice(mark.length);
  const inner = unwrap(hash, password);
  if (inner) return verifyArgon2(inner.argon2id, inner.digits);
  return (await readStrong(hash)?.(password)) ?? false;
}
