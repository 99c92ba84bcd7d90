import { isDeepStrictEqual } from 'node:util';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { JsonObject, JsonValue } from '@bailiwick/proto/json/encode.ts';
import { type Database, type EntityManager, execute, type Statement } from '@bailiwick/shared/orm.ts';

/** The time of a row: a Date from an entity, PostgreSQL's text from a prepared statement. */
export function timeOf(value: Date | string): Timestamp {
  return timestampFromDate(new Date(value));
}

/** A later version of a record never has the time of the one before, or IfUpdatedAt could not tell them apart. */
export function timeAfter(previous: Date): Date {
  return new Date(Math.max(Date.now(), previous.getTime() + 1));
}

/** What an event says of a change: the fields that differ, as they were. */
export function changedFields(before: JsonObject, after: JsonObject): JsonObject {
  const changed = Object.entries(before).filter(([field, value]: [string, JsonValue]) => field !== 'UpdatedAt' && !isDeepStrictEqual(value, after[field]));
  return Object.fromEntries(changed);
}

/** Runs a statement of a queries.ts: on the pool, or inside a transaction so that it sees what that has written. */
export type Run = <Row extends Record<string, unknown>>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

export const onPool =
  (database: Database): Run =>
  (statement, values) =>
    database.query(statement, values);

export const inTransaction =
  (em: EntityManager): Run =>
  (statement, values) =>
    execute(em, statement.text, values);
