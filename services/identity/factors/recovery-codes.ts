import { randomText } from './random-text.ts';

/** Crockford's Base32 in lower case: no letter looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
export const codesPerUser = 10;

/** New recovery codes of 50 bits each, such as k7m2p-9xq4t. */
export const createCodes = (): string[] =>
  Array.from(
    { length: codesPerUser },
    () => `${randomText(alphabet, 5)}-${randomText(alphabet, 5)}`,
  );

/** A code as it is hashed: case, width, spaces and hyphens do not matter, and O, I and L are digits. */
export const normaliseCode = (code: string): string =>
  code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s-]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1');
