import { changedFields, stale, timeAfter } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { AppsRotateSecretRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import { recordAppEvent, toJson } from './api-record.ts';
import type { AppDeps } from './deps.ts';
import { AppEntity } from './entities.ts';
import { appNotFound, getApp } from './queries.ts';
import { assertMayUse } from './rights.ts';
import type { SavedApp } from './save.ts';
import { createSecret, usesSecret } from './secret.ts';

/** Replaces the client secret. The replaced one, and no earlier one, is kept for the given time. */
export async function rotateSecret(
  deps: AppDeps,
  { tenant, id, keepOldSeconds }: AppsRotateSecretRequest,
  call: Call,
): Promise<SavedApp> {
  const { scopes } = await getApp(deps.database, tenant, id);
  await assertMayUse(deps, call, { tenant, scopes });
  return deps.database.transaction({ call, tenant, row: rowOf.app(tenant, id) }, async (tx) => {
    const row = await tx.em.findOne(
      AppEntity,
      { tenant, id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!row) throw appNotFound();
    if (row.scopes.some((scope) => !scopes.includes(scope))) throw stale('the app');
    if (!usesSecret(row.tokenEndpointAuthMethod))
      throw failedPrecondition(
        `an app with ${row.tokenEndpointAuthMethod} has no client secret`,
        'APP_WITHOUT_SECRET',
      );
    const before = toJson(row);
    const now = new Date();
    const { secret, columns } = createSecret(now);
    const overlap =
      keepOldSeconds > 0
        ? {
            previousSecretHash: row.secretHash,
            previousSecretUntil: new Date(now.getTime() + keepOldSeconds * 1000),
          }
        : {};
    tx.em.assign(row, { ...columns, ...overlap, updatedAt: timeAfter(row.updatedAt) });
    const previous = changedFields(before, toJson(row));
    recordAppEvent(tx, 'oauth_app.secret_rotated', row, previous);
    return { row, secret };
  });
}
