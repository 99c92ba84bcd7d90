import { holdsOnPlatform } from '@bailiwick/contract';
import { denied, invalid } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { UserChange } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { UserRow } from './entities.ts';

/** Changes the fields that were sent. Sending the stored address or external id back is allowed. */
export function applyTo(
  user: UserRow,
  change: Omit<UserChange, 'id' | '$typeName'>,
  call: Call,
): void {
  if (change.email !== undefined && change.email !== user.email)
    throw invalid('User.Email must be the stored address: Account_ChangeEmail changes it');
  user.name = change.name ?? user.name;
  user.givenName = change.givenName ?? user.givenName;
  user.familyName = change.familyName ?? user.familyName;
  user.picture = change.picture ?? user.picture;
  user.locale = change.locale ?? user.locale;
  if (change.metadata) user.metadata = { ...change.metadata.items };
  if (change.externalId === undefined || change.externalId === user.externalId) return;
  // Another system identifies the user by it: changing it would allow impersonation there.
  if (!holdsOnPlatform(call.caller, 'iam.platform.users.write'))
    throw denied('only the platform may change User.ExternalID');
  user.externalId = change.externalId;
}
