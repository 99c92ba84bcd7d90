import { changedFields, timeAfter } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { UserChange, Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { voidEmailChanges, voidResetTokens } from '../account/queries.ts';
import { type Operator, operatorNotice, provenOperator } from '../operators/acts.ts';
import { liftLocks } from '../receipts/queries.ts';
import { rowOf } from '../rows.ts';
import { endSessions } from '../sessions/queries.ts';
import { assertMayActAs } from '../users/acting.ts';
import { type UserRow, userJson, userRecord } from '../users/entities.ts';
import { applyTo } from '../users/fields.ts';
import { lockExisting } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';

type Deps = { database: Database; authority: PeerClient<typeof Authority> };

export function changeHandlers(
  deps: Deps,
): Pick<Handlers<typeof Users>, 'update' | 'disable' | 'enable' | 'unlock'> {
  const { database, authority } = deps;
  async function setStatus(
    { userId, reason }: { userId: string; reason: string },
    status: 'active' | 'disabled',
    call: Call,
  ) {
    const operator = await provenOperator(database, userId, reason, call);
    const user = await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, (tx) =>
      changeStatus(tx, userId, status, { operator, reason: reason.trim() }),
    );
    // Invalidates after the change in both services, so that gateways read the new state, even if
    // the call to access fails.
    call.invalidates.add(`user:${userId}`);
    // Sent even if nothing changed: this may be the retry of a call that failed before this point.
    await authority.setSubjectState(
      {
        subject: userId,
        state: status,
        changedAt: timestampFromDate(user.updatedAt),
      },
      call,
    );
    return { user: userRecord(user) };
  }

  return {
    async update({ user: change, reason }, call) {
      const operator = await provenOperator(database, change?.id ?? '', reason, call);
      if (change?.externalId !== undefined) await assertMayIdentify(deps, change, call);
      const user = await database.transaction(
        { call, tenant: null, row: rowOf.user(change?.id ?? '') },
        async (tx) => {
          const stored = await lockExisting(tx, change?.id ?? '');
          const before = userJson(stored);
          if (change) applyTo(stored, change, call);
          // Even if nothing changes: another call with the same values may not have replied yet.
          call.invalidates.add(`user:${stored.id}`);
          const previous = changedFields(before, userJson(stored));
          if (Object.keys(previous).length === 0) return stored;
          stored.updatedAt = timeAfter(stored.updatedAt);
          recordUser(tx, 'user.updated', stored, {
            previous,
            ...operatorNotice(operator, 'user_updated', stored),
          });
          return stored;
        },
      );
      return { user: userRecord(user) };
    },

    disable: (request, call) => setStatus(request, 'disabled', call),
    enable: (request, call) => setStatus(request, 'active', call),

    async unlock(request, call) {
      const [user] = await findUsers(database, [request.userId]);
      if (user?.status === 'disabled' && user.lockReceipt === '')
        throw failedPrecondition('the user is disabled and not locked: Users_Enable enables it');
      return setStatus(request, 'active', call);
    },
  };
}

/** Other systems identify the user by the ExternalID, so its change is a way to act as the user. */
async function assertMayIdentify(
  deps: Deps,
  { id, externalId }: Pick<UserChange, 'id' | 'externalId'>,
  call: Call,
): Promise<void> {
  const [stored] = await findUsers(deps.database, [id]);
  if (stored && stored.externalId !== externalId) await assertMayActAs(deps, id, call);
}

async function changeStatus(
  tx: Transaction,
  userId: string,
  status: 'active' | 'disabled',
  { operator, reason }: { operator: Operator | undefined; reason: string },
): Promise<UserRow> {
  const user = await lockExisting(tx, userId);
  if (user.status === status) return user;
  // Everything issued before is void, even if the user is enabled again.
  await endSessions(tx, userId);
  await voidResetTokens(tx, userId);
  await voidEmailChanges(tx, userId);
  const isUnlocked = status === 'active' && user.lockReceipt !== '';
  const previous = {
    Status: user.status,
    ...(isUnlocked && { LockReceipt: user.lockReceipt }),
  };
  if (isUnlocked) await liftLocks(tx, userId);
  user.lockReceipt = '';
  user.status = status;
  user.updatedAt = timeAfter(user.updatedAt);
  const change = status === 'disabled' ? 'disabled' : 'enabled';
  recordUser(tx, `user.${change}`, user, {
    previous,
    ...operatorNotice(operator, `user_${change}`, user),
    ...(reason !== '' && { reason }),
  });
  return user;
}
