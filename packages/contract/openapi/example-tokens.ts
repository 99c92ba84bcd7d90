import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { moment } from '../example-moment.ts';

// Identifiers, tokens and encoded texts for the examples.

// Crockford's base32 alphabet, indexed by JavaScript's base32 digits.
const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** The identifier of the example record with this prefix: a TypeID with the time of the examples. */
export function exampleId(prefix: string): string {
  const bytes = createHash('sha256').update(prefix).digest().subarray(0, 16);
  bytes.writeUIntBE(Date.parse(moment), 0, 6);
  // UUID version 7 and its variant.
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const digits = BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(26, '0');
  return `${prefix}_${digits.replace(/[a-v]/g, (digit) => crockford.charAt(parseInt(digit, 32)))}`;
}

/** A token or key in the right format that cannot be mistaken for a real one. */
export const exampleToken = (kind: string): string => `bwk${kind}_${'Example'.repeat(7)}`;

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
