import { holdsOnPlatform } from '@bailiwick/call';
import { type Database, type EntityManager } from '@bailiwick/database';
import { denied, invalid } from '@bailiwick/errors';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { UserChange, Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { type Call, type Handlers } from '@bailiwick/rpc';
import { changedFields, timeAfter } from '@bailiwick/values';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { voidEmailChanges, voidResetTokens } from '../account/queries.ts';
import { recordUser } from '../account/records.ts';
import { endSessions } from '../sessions/queries.ts';
import { type UserRow, userJson, userRecord } from './entities.ts';
import { lockExisting } from './lock.ts';

type Deps = { database: Database; authority: Client<typeof Authority> };

export function changeHandlers({
  database,
  authority,
}: Deps): Pick<Handlers<typeof Users>, 'update' | 'disable' | 'enable'> {
  async function setStatus(userId: string, status: 'active' | 'disabled', call: Call) {
    const user = await database.transaction({ tenant: null, row: `user ${userId}` }, (em) =>
      changeStatus(em, userId, status, call),
    );
    // Invalidates after the change in both services, so that gateways read the new state, even if
    // the call to access fails.
    call.invalidates.add(`user:${userId}`);
    // Sent even if nothing changed: this may be the retry of a call that failed before this point.
    await authority.setSubjectState({
      subject: userId,
      state: status,
      changedAt: timestampFromDate(user.updatedAt),
    });
    return { user: userRecord(user) };
  }

  return {
    async update({ user: sent }, call) {
      const user = await database.transaction(
        { tenant: null, row: `user ${sent?.id ?? ''}` },
        async (em) => {
          const stored = await lockExisting(em, sent?.id ?? '');
          const before = userJson(stored);
          if (sent) applyTo(stored, sent, call);
          const previous = changedFields(before, userJson(stored));
          if (Object.keys(previous).length === 0) return stored;
          stored.updatedAt = timeAfter(stored.updatedAt);
          recordUser(em, call, 'user.updated', stored, { previous });
          return stored;
        },
      );
      return { user: userRecord(user) };
    },

    disable: ({ userId }, call) => setStatus(userId, 'disabled', call),
    enable: ({ userId }, call) => setStatus(userId, 'active', call),
  };
}

async function changeStatus(
  em: EntityManager,
  userId: string,
  status: 'active' | 'disabled',
  call: Call,
): Promise<UserRow> {
  const user = await lockExisting(em, userId);
  if (user.status === status) return user;
  // Everything issued before is void, even if the user is enabled again.
  await endSessions(em, userId);
  await voidResetTokens(em, userId);
  await voidEmailChanges(em, userId);
  const previous = { Status: user.status };
  user.status = status;
  user.updatedAt = timeAfter(user.updatedAt);
  recordUser(em, call, status === 'disabled' ? 'user.disabled' : 'user.enabled', user, {
    previous,
  });
  return user;
}

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
