import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../json/encode.ts';

/**
 * The old values of the fields that changed, for the event; null = was not set. UpdatedAt is
 * ignored.
 */
export function changedFields(before: JsonObject, after: JsonObject): JsonObject {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => field !== 'UpdatedAt',
  );
  return Object.fromEntries(
    fields
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field) => [field, before[field] ?? null]),
  );
}
