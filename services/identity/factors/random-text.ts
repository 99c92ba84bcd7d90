import { randomInt } from 'node:crypto';

/** A random text of symbols that people can read and type. */
export const randomText = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
