import type { ImportedMembershipInput, ImportedUserInput } from '../client/gen/types.ts';
import { ImportError } from './error.ts';
import type { FileRecord } from './records.ts';
import { tenantsOf } from './tenants.ts';
import type { Read } from './users.ts';

/** A user to import. */
export type Sent = { user: ImportedUserInput };
/** A record that is not sent, and why. */
export type Unsent = { user: object; problem: string };
export type Row = Sent | Unsent;

export const isSent = (row: Row): row is Sent => !('problem' in row);

/** The row of a record. `membership` is the one that the import gives to all users. */
export function readRow(
  found: FileRecord,
  read: Read,
  membership: ImportedMembershipInput | undefined,
): Row {
  if ('problem' in found) return { user: { Name: found.text }, problem: found.problem };
  try {
    const user = read(found.record);
    if (user.Email === '') return { user, problem: 'the user has no email address' };
    return { user: { ...user, ...tenantsOf(user, membership) } };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { user: found.record, problem: error.message };
  }
}
