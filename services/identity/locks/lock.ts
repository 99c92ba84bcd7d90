import { createId, timeAfter } from '@bailiwick/contract';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { voidEmailChanges, voidResetTokens } from '../account/queries.ts';
import { voidAllPendingLinks } from '../federation/pending-links/queries.ts';
import { type Operator, operatorNotice, provenOperator } from '../operators/acts.ts';
import { receiptRecord, wholeReceipt } from '../receipts/entities.ts';
import {
  addReceipt,
  addRows,
  findReceipt,
  liftLocks,
  listBotsOfMaker,
  listRows,
} from '../receipts/queries.ts';
import { ownRow } from '../receipts/rows.ts';
import { rowOf } from '../rows.ts';
import { endSessions } from '../sessions/queries.ts';
import { type UserRow, userRecord } from '../users/entities.ts';
import { lockExisting } from '../users/lock.ts';
import { recordUser } from '../users/records.ts';
import { completeLock, type LockDeps } from './follow.ts';

/** Locks a user: one call ends all that the user holds, and its receipt says who held it. */
export const lockHandler = (deps: LockDeps): Pick<Handlers<typeof Users>, 'lock'> => ({
  async lock({ userId, reason }, call) {
    const { database } = deps;
    const operator = await provenOperator(database, userId, reason, call);
    const user = await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, (tx) =>
      lockUser(tx, userId, { operator, reason: reason.trim() }, call),
    );
    // Even if the user was locked: the call that has locked it may not have replied yet.
    call.invalidates.add(`user:${userId}`);
    const receipt = await findReceipt(database, user.lockReceipt);
    if (!receipt) return { user: userRecord(user) };
    await completeLock(deps, receipt, call);
    const present = (await findReceipt(database, receipt.id)) ?? receipt;
    const rows = await listRows(database, receipt.id, '');
    return { user: userRecord(user), receipt: receiptRecord(present, rows, wholeReceipt) };
  },
});

type Act = { operator: Operator | undefined; reason: string };

async function lockUser(
  tx: Transaction,
  userId: string,
  { operator, reason }: Act,
  call: Call,
): Promise<UserRow> {
  const user = await lockExisting(tx, userId);
  if (await isLocked(tx, user)) return user;
  await endSessions(tx, userId);
  await voidResetTokens(tx, userId);
  await voidEmailChanges(tx, userId);
  await voidAllPendingLinks(tx, userId);
  await liftLocks(tx, userId);
  const previous = { Status: user.status, LockReceipt: user.lockReceipt };
  const id = createId('lck');
  user.status = 'disabled';
  user.lockReceipt = id;
  user.updatedAt = timeAfter(user.updatedAt);
  const lockedAt = user.updatedAt;
  const lockedBy = call.caller.id;
  await addReceipt(tx, { id, subject: userId, subjectTenant: '', reason, lockedBy, lockedAt });
  const bots = await listBotsOfMaker(tx, userId);
  await addRows(
    tx.query,
    id,
    bots.map((bot) => ownRow('bot', bot, lockedAt)),
  );
  recordUser(tx, 'user.disabled', user, {
    previous,
    ...operatorNotice(operator, 'user_disabled', user),
    ...(reason !== '' && { reason }),
  });
  return user;
}

/**
 * Whether the user has been locked and not changed since. A process of an earlier version restores and
 * disables a user without a word to the receipt: then the lock is another one.
 */
async function isLocked(tx: Transaction, user: UserRow): Promise<boolean> {
  if (user.status !== 'disabled' || user.lockReceipt === '') return false;
  const receipt = await findReceipt(tx, user.lockReceipt);
  return receipt !== undefined && Number(new Date(receipt.lockedAt)) === Number(user.updatedAt);
}
