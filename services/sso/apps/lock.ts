import { changedFields, timeAfter, timeOf } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type { Apps, AppsLockRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { endSignInsTo } from '../app-sign-ins/end.ts';
import { mostTokenSeconds } from '../app-sign-ins/sign-outs/queries.ts';
import { rowOf } from '../rows.ts';
import { recordAppEvent, toApi, toJson } from './api-record.ts';
import type { AppDeps } from './deps.ts';
import { AppEntity, type AppRow } from './entities.ts';
import { appNotFound } from './queries.ts';

/** A token of a lifetime that an earlier change has shortened is not valid any more. */
const tokensMs = 65 * 60_000;

/**
 * Locks an app: it is inactive from the reply on, and its sign-ins have ended. A call that was
 * interrupted before identity has kept the receipt is repeated: the app stays locked.
 */
export const lockHandler = (deps: AppDeps): Pick<Handlers<typeof Apps>, 'lock'> => ({
  async lock(request, call) {
    const { tenant, id, reason } = request;
    const { row, tokenSeconds } = await deps.database.transaction(
      { call, tenant, row: rowOf.app(tenant, id) },
      (tx) => lockApp(tx, request),
    );
    call.invalidates.add(`app:${id}`);
    const holders = await deps.revoke([`app:${id}`]);
    const { receipt } = await deps.locks.keep(
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
  const tokenSeconds = isSettled ? row.tokenLifetimeSeconds : mostTokenSeconds;
  await endSignInsTo(tx, row);
  if (!row.active) return { row, tokenSeconds };
  const before = toJson(row);
  row.active = false;
  row.updatedAt = timeAfter(row.updatedAt);
  recordAppEvent(tx, 'oauth_app.updated', row, changedFields(before, toJson(row)), reason);
  return { row, tokenSeconds };
}
