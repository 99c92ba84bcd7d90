import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@bailiwick/proto/json/encode.ts';

/** What an event says of a change: the fields that differ, as they were; null = not set. UpdatedAt alone is no difference. */
export function changedFields(before: JsonObject, after: JsonObject): JsonObject {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) => field !== 'UpdatedAt');
  return Object.fromEntries(fields.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field) => [field, before[field] ?? null]));
}
