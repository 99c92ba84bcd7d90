import { failedPrecondition } from '@bailiwick/errors';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { ProviderValues } from './api-record.ts';

/** @throws failed_precondition if the provider was changed after the time that the caller has read */
export function assertUnchangedSince(
  ifUpdatedAt: Timestamp | undefined,
  row: Pick<ProviderValues, 'updatedAt'> | null | undefined,
): void {
  // A provider that does not exist yet cannot be the one that was read.
  if (
    ifUpdatedAt &&
    (!row || new Date(row.updatedAt).getTime() !== timestampDate(ifUpdatedAt).getTime())
  )
    throw failedPrecondition('the provider was changed meanwhile', 'STALE');
}
