import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** The time of a row: a Date from an entity, PostgreSQL's text from a prepared statement. */
export function timeOf(value: Date | string): Timestamp {
  return timestampFromDate(new Date(value));
}

/** A later version of a record never has the time of the one before, or IfUpdatedAt could not tell them apart. */
export function timeAfter(previous: Date): Date {
  return new Date(Math.max(Date.now(), previous.getTime() + 1));
}
