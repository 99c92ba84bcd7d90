import type { Json } from './records.ts';

// Reads values of unknown types.

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const isTrue = (value: unknown): boolean =>
  value === true || value === 1 || ['true', '1'].includes(text(value).toLowerCase());

/** Not the opposite of `isTrue`: a flag may be absent. */
export const isFalse = (value: unknown): boolean =>
  value === false || value === 0 || ['false', '0'].includes(text(value).toLowerCase());

/** The problem of a flag that is neither true nor false. An absent one is false. */
export function flagProblems(name: string, value: unknown): string[] {
  const written = JSON.stringify(value ?? '').toLowerCase();
  const isKnown = /^"?(|true|false|1|0)"?$/.test(written);
  return isKnown ? [] : [`${name} must be true, false, 1 or 0, and is ${written.slice(0, 60)}`];
}

/** The entries with texts, numbers and flags, and of lists their first item. */
export function texts(value: unknown): Record<string, string> {
  const entries = Object.entries(object(value)).flatMap(([key, entry]) => {
    const one: unknown = Array.isArray(entry) ? entry[0] : entry;
    return ['string', 'number', 'boolean'].includes(typeof one) ? [[key, String(one)]] : [];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
