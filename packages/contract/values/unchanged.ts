import { failedPrecondition } from '@bailiwick/errors';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

/** For a change that is based on an earlier state of a record, such as `the bot`. */
export const stale = (record: string) =>
  failedPrecondition(`${record} was changed meanwhile`, 'STALE');

/**
 * Compares the time that the caller has read with that of the stored row. A record that does not
 * exist cannot be the one that was read. @throws failed_precondition if they differ
 */
export function assertUnchanged(
  record: string,
  row: { updatedAt: Date | string } | null | undefined,
  ifUpdatedAt: Timestamp | undefined,
): void {
  if (!ifUpdatedAt) return;
  const updatedAt = row && new Date(row.updatedAt).getTime();
  if (updatedAt !== timestampDate(ifUpdatedAt).getTime()) throw stale(record);
}
