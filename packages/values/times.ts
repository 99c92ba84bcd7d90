import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/**
 * Converts the time of a row: a Date from an entity, or PostgreSQL's text from a prepared
 * statement.
 */
export const timeOf = (value: Date | string): Timestamp => timestampFromDate(new Date(value));
