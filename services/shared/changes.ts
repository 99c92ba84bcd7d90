import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@bailiwick/proto/json/encode.ts';

/** What an event says of a change: the fields that differ, as they were; null = not set. UpdatedAt alone is no difference. */
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

/** A later version of a record never has the time of the one before: news of it are told apart by that, and IfUpdatedAt rests on it. */
export function timeAfter(previous: Date): Date {
  return new Date(Math.max(Date.now(), previous.getTime() + 1));
}
