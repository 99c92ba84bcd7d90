import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** The time of a row: a Date from an entity, PostgreSQL's text from a prepared statement. */
export function timeOf(value: Date | string): Timestamp {
  return timestampFromDate(new Date(value));
}
