import {
  type Duration,
  durationFromMs,
  durationMs,
  type Timestamp,
  timestampFromDate,
} from '@bufbuild/protobuf/wkt';

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

const dayMs = 86_400_000;

/**
 * How long an answer stays the same, for a message between services: whole milliseconds, a day at
 * most. `ms`: Infinity = always.
 */
export const durationOf = (ms: number): Duration =>
  durationFromMs(Math.floor(Math.min(Math.max(ms, 0), dayMs)));

/** How long an answer of a service stays the same, in ms; `otherwise`, if it does not say. */
export const lastsOf = (
  { unchangedFor }: { unchangedFor?: Duration | undefined },
  otherwise: number,
): number => (unchangedFor ? durationMs(unchangedFor) : otherwise);
