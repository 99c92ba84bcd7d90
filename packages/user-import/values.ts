import type { Json } from './records.ts';

// Reads values of unknown types.

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const isTrue = (value: unknown): boolean =>
  value === true || text(value).toLowerCase() === 'true';

/** The entries with texts, numbers and flags, and of lists their first item. */
export function texts(value: unknown): Record<string, string> {
  const entries = Object.entries(object(value)).flatMap(([key, entry]) => {
    const one: unknown = Array.isArray(entry) ? entry[0] : entry;
    return ['string', 'number', 'boolean'].includes(typeof one) ? [[key, String(one)]] : [];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
