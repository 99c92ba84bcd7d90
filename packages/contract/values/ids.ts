import { randomBytes } from 'node:crypto';
import type { IdPrefix } from '../identifiers.ts';

// TypeIDs (https://github.com/jetify-com/typeid): a type prefix, "_", and a UUIDv7 in 26 characters
// of Crockford's base32. They sort by creation time, on which keyset pages and index locality
// depend. Only ids of idFromHash do not.

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

let lastMillis = 0;
let sequence = 0;

/** A new identifier. Identifiers made by one process ascend strictly. */
export function createId(prefix: IdPrefix): string {
  const bytes = randomBytes(16);
  const now = Date.now();
  if (now > lastMillis) {
    lastMillis = now;
    sequence = bytes.readUInt16BE(6) & 0x07ff;
  } else if (++sequence > 0x0fff) {
    // The 12-bit counter of this millisecond is used up: borrow the next one.
    lastMillis += 1;
    sequence = 0;
  }
  bytes.writeUIntBE(lastMillis, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return `${prefix}_${base32(bytes)}`;
}

/** Whether `value` is an identifier with that prefix. */
export function isId(prefix: IdPrefix, id: string): boolean {
  return (
    id.length === prefix.length + 27 &&
    id.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id.slice(prefix.length + 1))
  );
}

/** When an identifier of `createId` was made. Those of `idFromHash` encode no time. */
export function timeOfId(id: string): Date {
  // The time is the first 48 bits, after two zero bits: ten characters.
  const characters = id
    .slice(id.indexOf('_') + 1)
    .slice(0, 10)
    .split('');
  return new Date(characters.reduce((ms, one) => ms * 32 + alphabet.indexOf(one), 0));
}

/** An identifier derived from a hash. It has the same form as others but encodes no time. */
export function idFromHash(prefix: IdPrefix, hash: Uint8Array): string {
  return `${prefix}_${base32(hash.subarray(0, 16))}`;
}

function base32(bytes: Uint8Array): string {
  // 128 bits in 26 characters: the first carries 3 bits.
  let text = '';
  let bits = 2;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >>> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}
