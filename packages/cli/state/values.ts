import { rfc3339 } from '../gen/help.ts';

// Reads values of a YAML file. Problems are collected with their place.

export type Problems = string[];
type Keys = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Keys =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const join = (at: string, key: string) => (at === '' ? key : `${at}.${key}`);

/** Reads an object with only these keys: a misspelt key would have no effect. */
export function recordOf(
  value: unknown,
  at: string,
  keys: readonly string[],
  problems: Problems,
): Keys {
  if (!isObject(value)) {
    problems.push(`${at} must be an object`);
    return {};
  }
  for (const key of Object.keys(value))
    if (!keys.includes(key))
      problems.push(`${at} has no key ${key}; it may have ${keys.join(', ')}`);
  return value;
}

export function textOf(
  record: Keys,
  key: string,
  at: string,
  problems: Problems,
  required = false,
): string | undefined {
  const value = record[key];
  if (value === undefined || value === null || (required && value === '')) {
    if (required) problems.push(`${join(at, key)} is missing`);
    return undefined;
  }
  if (typeof value === 'string') return value;
  problems.push(`${join(at, key)} must be a string`);
  return undefined;
}

/** Reads a time in the service's format. YAML parses it as a string. */
export function timeOf(
  record: Keys,
  key: string,
  at: string,
  problems: Problems,
): string | undefined {
  const text = textOf(record, key, at, problems);
  if (text === undefined || (rfc3339.test(text) && !Number.isNaN(Date.parse(text)))) return text;
  problems.push(`${join(at, key)} must be a time such as 2027-01-31T12:00:00Z`);
  return undefined;
}

/** Reads a list. A key without a value is an empty list. */
export function listOf(
  record: Keys,
  key: string,
  at: string,
  problems: Problems,
): unknown[] | undefined {
  const value = record[key];
  if (value === undefined) return undefined;
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  problems.push(`${join(at, key)} must be a list`);
  return undefined;
}

export function textsOf(
  record: Keys,
  key: string,
  at: string,
  problems: Problems,
): string[] | undefined {
  const items = listOf(record, key, at, problems);
  if (items === undefined || items.every((entry) => typeof entry === 'string')) return items;
  problems.push(`${join(at, key)} must be a list of strings`);
  return undefined;
}

export function mapOf(
  record: Keys,
  key: string,
  at: string,
  problems: Problems,
): Record<string, string> | undefined {
  const value = record[key];
  if (value === undefined || value === null) return undefined;
  if (isObject(value) && Object.values(value).every((entry) => typeof entry === 'string'))
    return value as Record<string, string>;
  problems.push(`${join(at, key)} must be an object with string values`);
  return undefined;
}
