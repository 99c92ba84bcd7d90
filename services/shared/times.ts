import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** The time of a row: a Date from an entity, PostgreSQL's text from a prepared statement. */
export const timeOf = (value: Date | string): Timestamp => timestampFromDate(new Date(value));
