import type { Email } from '@bailiwick/contract';
import { alreadyExists, failedPrecondition } from '@bailiwick/errors';
import type { Run } from '@bailiwick/store';
import { findKnownUsers, type KnownUser } from './queries.ts';
import { type ImportRow, isRefused, refuse } from './rows.ts';

/** The key under which the account of an address is stored, or would be (see settleEmail). */
export const storedKey = (
  { key, unmappedKey }: Email,
  usersByKey: ReadonlyMap<string, KnownUser>,
) => (usersByKey.has(unmappedKey) ? unmappedKey : key);

/**
 * Finds the stored users of the rows: by the ExternalID, whatever the address is now, or without one
 * by the address. Refuses the address of another user, and memberships of an account whose user may
 * be another person. Returns the stored users by the keys of their addresses.
 */
export async function matchStored(
  run: Run,
  rows: readonly ImportRow[],
  batchId: string,
): Promise<ReadonlyMap<string, KnownUser>> {
  const open = rows.filter((row) => !isRefused(row));
  const stored = await findKnownUsers(
    run,
    open.flatMap(({ email }) => (email ? [email.key, email.unmappedKey] : [])),
    open.map(({ input }) => input.externalId).filter((id) => id !== ''),
  );
  const byKey = new Map(stored.map((user) => [user.email_key, user]));
  for (const row of open) {
    const match = findFor(row, stored, byKey);
    if (match === undefined) {
      row.result = 'created';
      row.userId = '';
    } else if (typeof match === 'string') refuse(row, alreadyExists(match));
    else if (match.unproven && row.input.tenants.length > 0)
      refuse(row, failedPrecondition(unproven));
    else {
      row.result = 'existing';
      row.userId = match.id;
      row.isRepeated = batchId !== '' && match.import_batch === batchId;
    }
  }
  return byKey;
}

const unproven =
  'the address of the account is not proven: it gets memberships after a sign-in with a mailed code or a password reset';

/** The user of a row, or why no user can be it; undefined = the user does not exist. */
function findFor(
  { input, email }: ImportRow,
  stored: readonly KnownUser[],
  byKey: ReadonlyMap<string, KnownUser>,
): KnownUser | string | undefined {
  const ofId =
    input.externalId === ''
      ? []
      : stored.filter(({ external_id }) => external_id === input.externalId);
  if (ofId.length > 1) return 'ExternalID belongs to several users';
  if (ofId[0]) return ofId[0];
  const ofAddress = email && byKey.get(storedKey(email, byKey));
  if (!ofAddress || input.externalId === '') return ofAddress;
  return ofAddress.external_id === ''
    ? 'Email belongs to an account without an ExternalID: if it is the same person, set its ExternalID with Users_Update'
    : 'Email belongs to an account with another ExternalID';
}
