import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/**
 * Converts the time of a row: a Date from an entity, or PostgreSQL's text from a prepared
 * statement.
 */
export const timeOf = (time: Date | string): Timestamp => timestampFromDate(new Date(time));

/**
 * A time later than the previous version's: consumers order versions by it, and IfUpdatedAt
 * depends on it.
 */
export function timeAfter(previous: Date): Date {
  return new Date(Math.max(Date.now(), previous.getTime() + 1));
}
