import { holdsOnPlatform } from '@bailiwick/contract';
import { denied, invalid } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { UserChange } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { UserRow } from './entities.ts';

/** Changes the fields that were sent. Sending the stored address or external id back is allowed. */
export function applyTo(
  user: UserRow,
  sent: Omit<UserChange, 'id' | '$typeName'>,
  call: Call,
): void {
  if (sent.email !== undefined && sent.email !== user.email)
    throw invalid('User.Email must be the stored address: Account_ChangeEmail changes it');
  user.name = sent.name ?? user.name;
  user.givenName = sent.givenName ?? user.givenName;
  user.familyName = sent.familyName ?? user.familyName;
  user.picture = sent.picture ?? user.picture;
  user.locale = sent.locale ?? user.locale;
  if (sent.metadata) user.metadata = { ...sent.metadata.items };
  if (sent.externalId === undefined || sent.externalId === user.externalId) return;
  // Another system identifies the user by it: changing it would allow impersonation there.
  if (!holdsOnPlatform(call.caller, 'iam.platform.users.write'))
    throw denied('only the platform may change User.ExternalID');
  user.externalId = sent.externalId;
}
