import { encodeJson, type JsonObject, logoFields, timeOf } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import { type App, AppSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import type { AppRow } from './entities.ts';
import { reuseSecondsOf } from './values.ts';

/** The API record, without the hashes of the secrets. */
export function toApi(row: AppRow): App {
  const {
    redirectUris,
    postLogoutRedirectUris,
    scopes,
    resources,
    secretHash: _secret,
    previousSecretHash: _previous,
    lockedAt: _lockedAt,
    secretCreatedAt,
    previousSecretUntil,
    logo,
    createdAt,
    updatedAt,
    ...fields
  } = row;
  const isOverlap = previousSecretUntil && new Date(previousSecretUntil) > new Date();
  return create(AppSchema, {
    ...fields,
    redirectUris: { items: redirectUris },
    postLogoutRedirectUris: { items: postLogoutRedirectUris },
    scopes: { items: scopes },
    resources: { items: resources },
    refreshReuseSeconds: reuseSecondsOf(row),
    ...(logo && logoFields(row.id, logo)),
    ...(secretCreatedAt ? { secretCreatedAt: timeOf(secretCreatedAt) } : {}),
    // A previous secret whose time is over is refused, even before the sweeper erases it.
    ...(isOverlap ? { previousSecretUntil: timeOf(previousSecretUntil) } : {}),
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
  });
}

/** The API record in documented JSON, as events carry it. */
export const toJson = (row: AppRow): JsonObject => encodeJson(AppSchema, toApi(row));

/** Writes the event of an app's change to the outbox. */
export function recordAppEvent(
  tx: Transaction,
  type: string,
  row: AppRow,
  previous: JsonObject = {},
  reason = '',
): void {
  const { tenant, id, name } = row;
  record(tx, {
    tenant,
    type,
    data: toJson(row),
    previous,
    ...(reason !== '' && { reason }),
    targets: [{ Type: 'oauth_app', ID: id, Name: name }],
  });
}
