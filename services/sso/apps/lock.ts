import { joinReports } from '@bailiwick/broker';
import { changedFields, timeAfter, timeOf } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type { Apps, AppsLockRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { endAllSignInsTo } from '../app-sign-ins/end.ts';
import { maxTokenSeconds, tokensMs } from '../app-sign-ins/sign-outs/queries.ts';
import { rowOf } from '../rows.ts';
import { recordAppEvent, toApi, toJson } from './api-record.ts';
import type { AppDeps } from './deps.ts';
import { AppEntity, type AppRow } from './entities.ts';
import { appNotFound } from './queries.ts';

/**
 * Locks an app: it is inactive from the first commit on, so that nothing more is issued to it, however
 * many sign-ins end then. A call that was interrupted is repeated, with the same receipt.
 */
export const lockHandler = (deps: AppDeps): Pick<Handlers<typeof Apps>, 'lock'> => ({
  async lock(request, call) {
    const { tenant, id, reason } = request;
    const { database, revoke, locks } = deps;
    const { row, tokenSeconds } = await database.transaction(
      { call, tenant, row: rowOf.app(tenant, id) },
      (tx) => lockApp(tx, request),
    );
    // Even if the app was locked: the call that has locked it may not have replied yet.
    call.invalidates.add(`app:${id}`);
    // The sign-ins end after the copies of the active app: one that was issued from a copy ends, too.
    const first = await revoke([`app:${id}`]);
    await endAllSignInsTo(database, call, row);
    const holders = joinReports(first, await revoke([`app:${id}`]));
    const { receipt } = await locks.keep(
      {
        subject: id,
        tenant,
        name: row.name,
        reason,
        by: call.caller.id,
        at: timeOf(row.updatedAt),
        holders,
        tokenSeconds,
        keepsSessions: row.kind !== 'service',
      },
      call,
    );
    return { app: toApi(row), ...(receipt && { receipt }) };
  },
});

async function lockApp(
  tx: Transaction,
  { tenant, id, reason }: AppsLockRequest,
): Promise<{ row: AppRow; tokenSeconds: number }> {
  const row = await tx.em.findOne(
    AppEntity,
    { tenant, id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!row) throw appNotFound();
  const isSettled = Date.now() - row.updatedAt.getTime() > tokensMs;
  const tokenSeconds = isSettled ? row.tokenLifetimeSeconds : maxTokenSeconds;
  // A lock stands until the app is changed.
  if (!row.active && row.lockedAt?.getTime() === row.updatedAt.getTime())
    return { row, tokenSeconds };
  const before = toJson(row);
  row.active = false;
  row.updatedAt = timeAfter(row.updatedAt);
  row.lockedAt = row.updatedAt;
  recordAppEvent(tx, 'oauth_app.updated', row, changedFields(before, toJson(row)), reason);
  return { row, tokenSeconds };
}
