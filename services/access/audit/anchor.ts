import { invalid } from '@bailiwick/errors';
import { type KeyRing, openForPurpose, sealForPurpose } from '@bailiwick/keys';
import type { Link } from './chain.ts';

// An anchor is the last link of a tenant's chain at one moment, sealed with the key ring and stored
// outside the database. An attacker who rewrites the whole chain, head included, cannot make the
// new chain pass through the anchored hash.

/** The last link of a tenant's chain ("" = the platform's) at a moment. */
export type Anchor = Link & { tenant: string; at: Date };

const purpose = 'audit-anchor';

export function createAnchor(ring: KeyRing, { tenant, seq, hash, at }: Anchor): string {
  return sealForPurpose(
    ring,
    purpose,
    JSON.stringify({ tenant, seq, hash, at: at.toISOString() }),
    [],
  );
}

/** Reads an anchor of this tenant. Throws invalid_argument for anything else. */
export function openAnchor(ring: KeyRing, tenant: string, text: string): Anchor {
  const anchor = unseal(ring, text);
  if (!anchor)
    throw invalid(
      'Anchor was not made by this installation, or its key is no longer in the key ring',
      'BAD_ANCHOR',
    );
  if (anchor.tenant !== tenant) throw invalid('Anchor belongs to another tenant', 'FOREIGN_ANCHOR');
  return { ...anchor, at: new Date(anchor.at) };
}

function unseal(ring: KeyRing, text: string): (Omit<Anchor, 'at'> & { at: string }) | undefined {
  // The decoder skips characters that are not base64url. This check gives an anchor only one
  // spelling.
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    return JSON.parse(openForPurpose(ring, purpose, text, [])) as Omit<Anchor, 'at'> & {
      at: string;
    };
  } catch {
    return undefined; // sealed with another key, for another purpose, or changed
  }
}
