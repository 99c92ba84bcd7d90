import { joinReports, type Revoke } from '@bailiwick/broker';
import { botTokenSeconds, isId, type Origin, serviceOrigin, timeOf } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type {
  AppSignOut,
  AppSignOuts,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampFromDate, timestampMs } from '@bufbuild/protobuf/wkt';
import { findBotsAnywhere } from '../bots/queries.ts';
import type { HolderRow, ReceiptRow } from '../receipts/entities.ts';
import {
  addRows,
  claimOpenReceipts,
  completeReceipt,
  finishReceipt,
  listRows,
  settleRows,
} from '../receipts/queries.ts';
import { appRows, cacheRow, ownRow, rowOfSignOut, tokenRow } from '../receipts/rows.ts';
import { findUsers } from '../users/queries.ts';

// A receipt is complete once every cache has dropped the user and every app is known, and final once
// no logout waits. The next call, or the watch, repeats what was interrupted.

export type LockDeps = {
  database: Database;
  authority: PeerClient<typeof Authority>;
  signOuts: PeerClient<typeof AppSignOuts>;
  revoke: Revoke;
  log: Log;
};

const byService = serviceOrigin('identity', 'Users_Lock');

/** Tokens of sign-ins that ended this long before the lock may still be valid. */
const tokensMs = 65 * 60_000;
/** The retries of a logout are over by then. */
const logoutsMs = 4 * 24 * 3_600_000;
const watchMs = 15_000;
const receiptsAtOnce = 100;
const failureMessage = 'following the receipts of locks failed, retrying';

/** Completes a receipt, and the lock that it belongs to. */
export async function completeLock(
  deps: LockDeps,
  receipt: ReceiptRow,
  call: Origin,
): Promise<void> {
  if (receipt.completedAt !== null) return;
  await (isId('bot', receipt.subject) ? completeBotLock : completeUserLock)(deps, receipt, call);
  await finishReceipt(deps.database, byService, receipt.id);
}

/** Ends what the bot holds in all caches. Its keys have ended with the bot. */
async function completeBotLock(
  { database, authority, revoke }: LockDeps,
  { id, subject }: ReceiptRow,
  call: Origin,
): Promise<void> {
  const first = await revoke([`bot:${subject}`]);
  const [bot] = await findBotsAnywhere(database, [subject]);
  if (bot) {
    const state = bot.active ? 'active' : 'disabled';
    await authority.setSubjectState({ subject, state, changedAt: timeOf(bot.updatedAt) }, call);
  }
  const holders = joinReports(first, await revoke([`bot:${subject}`]));
  const now = new Date();
  const rows = holders.map((holder) => cacheRow(holder, now));
  if (bot) rows.push(tokenRow(bot, botTokenSeconds, now));
  await database.transaction({ call: byService, tenant: null }, async (tx) => {
    await addRows(tx.query, id, rows);
    await completeReceipt(tx, id);
  });
}

/**
 * Ends what the user holds in the other services and in all caches, and writes who held it. The caches
 * come first: a sign-in that begins after them finds no session, so that sso ends all there are. Without
 * sso the receipt stays incomplete. Apps cannot refresh meanwhile, since the session has ended; an
 * access token that an app verifies by itself is valid until it expires.
 */
async function completeUserLock(deps: LockDeps, receipt: ReceiptRow, call: Origin): Promise<void> {
  const { id, subject, lockedAt } = receipt;
  const first = await deps.revoke([`user:${subject}`]);
  const since = new Date(new Date(lockedAt).getTime() - tokensMs);
  const until = await endOfLock(deps.database, receipt);
  const apps = await deps.signOuts
    .endOfUser(
      {
        userId: subject,
        since: timestampFromDate(since),
        ...(until && { until: timeOf(until) }),
      },
      call,
    )
    .catch((error: unknown) =>
      deps.log.warn('ending the sign-ins of a locked user failed, retrying', {
        error,
        receipt: id,
      }),
    );
  await reportState(deps, subject, call);
  const holders = joinReports(first, await deps.revoke([`user:${subject}`]));
  const now = new Date();
  const rows = [
    ...holders.map((holder) => cacheRow(holder, now)),
    ...(apps ? inOrder(apps.signOuts).flatMap((signOut) => appRows(signOut, now)) : []),
    ...(apps ? apps.ownRecords.map((app) => ownRow('app', app, now)) : []),
  ];
  await deps.database.transaction({ call: byService, tenant: null }, async (tx) => {
    await addRows(tx.query, id, distinct(rows));
    if (apps) await completeReceipt(tx, id);
  });
  // The watch looks at the others first.
  if (!apps) await settleRows(deps.database, byService, id, []);
}

/**
 * The time until which the lock ends sign-ins; undefined while it holds. A process of an earlier
 * version restores a user and notes no time: then only what is older than the lock is ended.
 */
async function endOfLock(
  database: Database,
  { id, subject, lockedAt, liftedAt }: ReceiptRow,
): Promise<Date | string | undefined> {
  if (liftedAt) return liftedAt;
  const [user] = await findUsers(database, [subject]);
  const isRestored = user && (user.status !== 'disabled' || user.lockReceipt !== id);
  return isRestored ? lockedAt : undefined;
}

/** Informs access of the present state: the account may have been restored or deleted meanwhile. */
async function reportState(
  { database, authority }: LockDeps,
  subject: string,
  call: Origin,
): Promise<void> {
  const [user] = await findUsers(database, [subject]);
  if (!user) return;
  const state = user.status === 'disabled' ? 'disabled' : 'active';
  const changedAt = timestampFromDate(user.updatedAt);
  await authority.setSubjectState({ subject, state, changedAt }, call);
}

/** An app may have signed out of a session before, and signed in to it again. */
const inOrder = (signOuts: readonly AppSignOut[]): AppSignOut[] =>
  signOuts.toSorted((a, b) => endOf(a) - endOf(b));

const endOf = ({ endedAt }: AppSignOut): number => (endedAt ? timestampMs(endedAt) : 0);

/**
 * One row for each holder: an app holds the tokens of several sessions, and ends one session several
 * times. The latest end counts, and of rows without one the last.
 */
function distinct(rows: readonly HolderRow[]): HolderRow[] {
  const byHolder = new Map<string, HolderRow>();
  for (const row of rows) {
    const key = [row.kind, row.holder, row.sessionId].join(' ');
    const other = byHolder.get(key);
    if (!other || Number(other.endsAt) <= Number(row.endsAt)) byHolder.set(key, row);
  }
  return [...byHolder.values()];
}

/** Brings an open receipt up to date. */
export async function refreshReceipt(deps: LockDeps, receipt: ReceiptRow): Promise<void> {
  if (receipt.finalAt !== null) return;
  const { database } = deps;
  const { id } = receipt;
  if (receipt.completedAt === null) return completeLock(deps, receipt, byService);
  const waiting = (await listRows(database, id, '')).filter(({ state }) => state === 'waiting');
  const ids = waiting.map(({ signOut }) => signOut);
  const { signOuts } =
    ids.length === 0 ? { signOuts: [] } : await deps.signOuts.describe({ ids }, byService);
  const now = new Date();
  const isOver = now.getTime() - new Date(receipt.lockedAt).getTime() > logoutsMs;
  const signOutsById = new Map(signOuts.map((signOut) => [signOut.id, signOut]));
  await settleRows(
    database,
    byService,
    id,
    waiting.map((row) => stateAt(row, signOutsById.get(row.signOut), isOver, now)),
  );
  await finishReceipt(database, byService, id);
}

/** A logout whose retries are over has failed if the app was called, and is unknown if it was not. */
function stateAt(row: HolderRow, signOut: AppSignOut | undefined, isOver: boolean, now: Date) {
  const current = signOut ? rowOfSignOut(signOut, now) : row;
  if (current.state !== 'waiting' || !isOver) return current;
  return { ...current, state: signOut?.reportedAt ? ('failed' as const) : ('unknown' as const) };
}

/** Completes the receipts of calls that were interrupted, and follows the logouts. */
export const watchLocks = (deps: LockDeps): Background =>
  repeat({
    everyMs: watchMs,
    log: deps.log,
    failed: failureMessage,
    async work(isStopped) {
      for (const receipt of await claimOpenReceipts(deps.database, byService, receiptsAtOnce)) {
        if (isStopped()) return;
        // One that fails does not keep the others from being followed.
        await refreshReceipt(deps, receipt).catch((error: unknown) =>
          deps.log.warn(failureMessage, { error, receipt: receipt.id }),
        );
      }
    },
  });
