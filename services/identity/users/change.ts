import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { UserChange, Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { holdsOnPlatform } from '@bailiwick/shared/caller.ts';
import { changedFields, timeAfter } from '@bailiwick/shared/changes.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { denied, invalid } from '@bailiwick/shared/errors.ts';
import type { Database, EntityManager } from '@bailiwick/shared/orm.ts';
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
    // Gateways forget what they remember after all of this, so that they ask an access that knows: also where it could not be told.
    call.outdated.add(`user:${userId}`);
    // Told also where nothing changed: the call may be the repetition of one that did not get this far.
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
  // Nothing that was issued before works afterwards, also when the user is enabled again.
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

/** Changes the fields that were sent. An address or external id that is sent back as it was read is no change. */
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
  // Another system knows the person by it: who could change it could pass for somebody else there.
  if (!holdsOnPlatform(call.caller, 'iam.platform.users.write'))
    throw denied('User.ExternalID is for the platform to change');
  user.externalId = sent.externalId;
}
