import { assertUnchanged, changedFields, createId, stale, timeAfter } from '@bailiwick/contract';
import { invalid, limitReached } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import {
  type App,
  AppSchema,
  type AppsSaveRequest,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import { lockName, type Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import { recordAppEvent, toJson } from './api-record.ts';
import type { AppDeps } from './deps.ts';
import { AppEntity, type AppKind, type AppRow } from './entities.ts';
import { keepLogo } from './logo.ts';
import { appNotFound, getApp } from './queries.ts';
import { assertMayUse } from './rights.ts';
import { createSecret, noSecret, usesSecret } from './secret.ts';
import { problemsOf, type Settable, settableOf } from './values.ts';

const maxApps = 100;

/** The stored app, and its new client secret; "" = the call made none. */
export type SavedApp = { row: AppRow; secret: string };

type Save = {
  request: AppsSaveRequest;
  input: App;
  /** The scopes for which the caller's rights were checked. */
  checked: readonly string[];
};

/**
 * Creates an app if the request has no ID, otherwise changes it. Saving identical values is not a
 * change.
 */
export async function saveApp(
  deps: AppDeps,
  request: AppsSaveRequest,
  call: Call,
): Promise<SavedApp> {
  const input = request.app ?? create(AppSchema);
  const { tenant, id } = input;
  const stored = id === '' ? undefined : await getApp(deps.database, tenant, id);
  assertUnchanged('the app', stored, request.ifUpdatedAt);
  const { scopes } = valuesFor(deps, input, stored);
  // Asked before the transaction, because another service answers.
  await assertMayUse(deps, call, { tenant, scopes });
  return deps.database.transaction({ call, tenant, row: rowOf.app(tenant, id) }, (tx) =>
    write(deps, tx, { request, input, checked: scopes }, call),
  );
}

async function write(
  deps: AppDeps,
  tx: Transaction,
  { request, input, checked }: Save,
  call: Call,
): Promise<SavedApp> {
  const { tenant, id } = input;
  const row =
    id === ''
      ? null
      : await tx.em.findOne(AppEntity, { tenant, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (id !== '' && !row) throw appNotFound();
  assertUnchanged('the app', row, request.ifUpdatedAt);
  const values = valuesFor(deps, input, row);
  const { logo } = request;
  if (!row) return insert(tx, call, input, { values, logo });
  // Absent scopes are the stored ones, which another call may have changed.
  if (values.scopes.some((scope) => !checked.includes(scope))) throw stale('the app');
  const before = toJson(row);
  tx.em.assign(row, values);
  await keepLogo(tx, row, logo);
  const secret = adjustSecret(row, new Date());
  const previous = changedFields(before, toJson(row));
  if (Object.keys(previous).length === 0) return { row, secret };
  row.updatedAt = timeAfter(row.updatedAt);
  recordAppEvent(tx, 'oauth_app.updated', row, previous);
  return { row, secret };
}

/** The columns that a save leads to. @throws invalid_argument with every problem */
function valuesFor(deps: AppDeps, input: App, stored: AppRow | null | undefined): Settable {
  const { tenant } = input;
  if (stored && input.kind !== '' && input.kind !== stored.kind)
    throw invalid('App.Kind cannot be changed');
  const kind = stored?.kind ?? (input.kind as AppKind);
  const values = settableOf(kind, input, stored ?? undefined);
  const problems = problemsOf(values, { tenant, kind, egress: deps.egress }, stored ?? undefined);
  if (problems.length > 0) throw invalid(problems);
  return values;
}

/**
 * Adds a secret if the app's method uses one and the app has none, and erases the secret of an app
 * that uses none. Returns the new secret; "" = none was added.
 */
function adjustSecret(row: AppRow, now: Date): string {
  const needsSecret = usesSecret(row.tokenEndpointAuthMethod);
  if (needsSecret === Boolean(row.secretHash)) return '';
  if (!needsSecret) {
    Object.assign(row, noSecret);
    return '';
  }
  const { secret, columns } = createSecret(now);
  Object.assign(row, columns);
  return secret;
}

async function insert(
  tx: Transaction,
  call: Call,
  { tenant, kind }: App,
  { values, logo }: { values: Settable; logo: Uint8Array | undefined },
): Promise<SavedApp> {
  // The lock keeps two concurrent creates from taking the same last place.
  await lockName(tx, rowOf.apps(tenant));
  if ((await tx.em.count(AppEntity, { tenant })) >= maxApps)
    throw limitReached(
      `${tenant === '' ? 'the platform' : 'a tenant'} has at most ${maxApps} apps`,
      maxApps,
    );
  const now = new Date();
  const row = tx.em.create(AppEntity, {
    ...values,
    ...noSecret,
    tenant,
    id: createId('app'),
    kind: kind as AppKind,
    createdBy: call.caller.id,
    createdAt: now,
    updatedAt: now,
  });
  const secret = adjustSecret(row, now);
  tx.em.persist(row);
  await keepLogo(tx, row, logo);
  recordAppEvent(tx, 'oauth_app.created', row);
  return { row, secret };
}
