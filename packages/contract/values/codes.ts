import { randomInt } from 'node:crypto';

// Codes that people write down and type.

/** A random text of symbols that people can read and type. */
export const randomText = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

/** Crockford's Base32 in lower case: no letter looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A new code with 25 bits in each group of five, such as k7m2p-9xq4t. */
export const createCode = (groups: number): string =>
  Array.from({ length: groups }, () => randomText(alphabet, 5)).join('-');

/** A code as it is hashed: case, width, spaces and hyphens do not matter, and O, I and L are digits. */
export const normaliseCode = (code: string): string =>
  code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s-]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1');
