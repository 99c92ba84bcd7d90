import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { assertUnchanged, changedFields, type JsonObject, timeAfter } from '@bailiwick/contract';
import { unavailable } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { SsoSaveProviderRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { type InferEntity, LockMode } from '@mikro-orm/core';
import { giverOf } from '../delegation.ts';
import { rowOf } from '../rows.ts';
import { type ProviderValues, recordProviderEvent, toJson } from './api-record.ts';
import { changesSubjects } from './changes.ts';
import { announce, conclude, confirmationOf } from './confirmation.ts';
import type { ProviderDeps } from './deps.ts';
import { ProviderEntity } from './entities.ts';
import { forgetIdentities } from './forget.ts';
import { insertProvider } from './insert.ts';
import { assertNotLastProvider } from './last-provider.ts';
import { keptWarning, readMetadata } from './metadata.ts';
import {
  findStored,
  kindOf,
  type PreparedSave,
  prepareSave,
  type Save,
  switchesOff,
} from './prepare-save.ts';
import { providerNotFound } from './queries.ts';
import { takeReservation } from './reservations/queries.ts';
import { newColumns, savedColumns } from './rollover/save.ts';

/**
 * Creates a provider if the request has no ID or a reserved one, otherwise changes it. Saving
 * identical values is not a change.
 */
export async function saveProvider(
  deps: ProviderDeps,
  request: SsoSaveProviderRequest,
  call: Call,
): Promise<ProviderValues> {
  const { tenant = '', id = '', kind = '' } = request.provider ?? {};
  const stored = await findStored(deps, request);
  // Fetched before the turn, because another server may be slow.
  const metadata =
    kindOf(kind, stored) === 'saml'
      ? await readMetadata(deps, request, stored?.metadataUrl ?? '', call.signal)
      : undefined;
  // Saves of one provider take turns as a whole, because each reads, seals and checks before its
  // transaction.
  return deps.database.inTurn({ call, row: rowOf.providerSave(tenant, id) }, async (call) => {
    // Values sealed and checked before the lock are valid only while the provider is unchanged.
    for (let tries = 0; tries < 5; tries++) {
      const saved = await trySave(deps, { request, metadata }, call);
      if (saved) return saved;
    }
    throw unavailable();
  });
}

/** Saves once; undefined if the provider was changed since it was read. */
async function trySave(
  deps: ProviderDeps,
  save: Save,
  call: Call,
): Promise<ProviderValues | undefined> {
  const prepared = await prepareSave(deps, save, call);
  const { key, stored, values, confirmationChange } = prepared;
  const write: Write = { ...save, prepared };
  const inRow = <T>(work: (tx: Transaction) => Promise<T>) =>
    deps.database.transaction(
      { call, tenant: key.tenant, row: rowOf.provider(key.tenant, stored?.id ?? '') },
      work,
    );
  const forgets = stored !== undefined && changesSubjects(stored, values);
  // Links that end or are loosened do not come back: what refuses the save comes first. Not in the
  // transaction of the save, which stands still for less time than a revocation by identity may take.
  if (
    stored &&
    (forgets || confirmationChange) &&
    !(await inRow((tx) => lockSaved(tx, write, stored)))
  )
    return undefined;
  await announce(deps, key, confirmationChange, call);
  let isSaved = false;
  try {
    // Before the commit, because an interruption would leave it undone; and after the commit, for
    // users who signed in between.
    if (forgets) await forgetIdentities(deps.ownFederation, key.tenant, key.id, call);
    const saved = await inRow((tx) => writeSaved(deps, tx, write, call));
    isSaved = saved !== undefined;
    if (forgets) await forgetIdentities(deps.federation, key.tenant, key.id, call);
    return saved;
  } finally {
    await conclude(
      deps,
      key,
      { change: confirmationChange, before: stored?.vouchId ?? '', isSaved },
      call,
    );
  }
}

type Write = Save & { prepared: PreparedSave };

/**
 * Locks the row that a save was prepared for, and throws if it must not be saved; undefined if it
 * has changed since.
 */
async function lockSaved(
  tx: Transaction,
  { request, prepared: { key, values, isSsoRequired } }: Write,
  stored: ProviderValues,
): Promise<ProviderRow | undefined> {
  const row = await tx.em.findOne(ProviderEntity, key, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!row) throw providerNotFound();
  assertUnchanged('the provider', row, request.ifUpdatedAt);
  if (!isSame(row, stored)) return undefined;
  // The row is unchanged since it was read, so it was active then, too.
  if (switchesOff(stored, values)) await assertNotLastProvider(tx, row, isSsoRequired);
  return row;
}

/** Stores the warning about new metadata. Without new metadata, the one about the last stays. */
function warn(row: ProviderRow, warning: string | undefined): void {
  const lastWarning = warning ?? keptWarning(row.lastWarning);
  if (lastWarning !== row.lastWarning && lastWarning !== '') row.lastWarningAt = new Date();
  row.lastWarning = lastWarning;
}

type ProviderRow = InferEntity<typeof ProviderEntity>;

/** Writes a prepared save; undefined if the row is not the one that it was prepared for. */
async function writeSaved(
  deps: ProviderDeps,
  tx: Transaction,
  write: Write,
  call: Call,
): Promise<ProviderValues | undefined> {
  const {
    key,
    kind,
    stored,
    values,
    sealed,
    spCertificate,
    replacesSecret,
    confirmationChange,
    warning,
  } = write.prepared;
  const confirmation = confirmationChange?.columns ?? confirmationOf(stored);
  const giver = giverOf(call.caller);
  if (!stored) {
    // Another save with the same reserved ID may have created the provider.
    const isReservation = write.request.provider?.id === key.id;
    if (isReservation && !(await takeReservation(tx.query, key.tenant, key.id))) return undefined;
    return (
      sealed &&
      insertProvider(deps, tx, {
        ...key,
        kind,
        ...values,
        ...sealed,
        spCertificate,
        ...confirmation,
        giver,
        lastWarning: warning ?? '',
        ...newColumns(write.metadata),
      })
    );
  }
  const row = await lockSaved(tx, write, stored);
  if (!row) return undefined;
  // Also an identical save: the caller may grant now what the last saver may not any more.
  const isOther = !isDeepStrictEqual(row.giver, giver);
  if (isOther) tx.em.assign(row, { giver });
  if (isOther || warning !== undefined) warn(row, warning);
  const old = toJson(row, deps.publicUrl);
  const rollover = savedColumns(row, values, write.metadata);
  tx.em.assign(row, { ...values, ...sealed, spCertificate, ...confirmation, ...rollover });
  const previous = {
    ...withoutReading(changedFields(old, toJson(row, deps.publicUrl))),
    ...(replacesSecret ? { SecretEnc: '' } : {}),
  };
  if (Object.keys(previous).length === 0) return row;
  row.updatedAt = timeAfter(row.updatedAt);
  warn(row, warning);
  deps.protocols.forget(row);
  const change = { row, publicUrl: deps.publicUrl, previous };
  recordProviderEvent(tx, 'sso_provider.updated', change);
  return row;
}

/** Reading the same metadata again is not a change. */
const withoutReading = ({
  MetadataReadAt: _read,
  MetadataError: _error,
  ...changed
}: JsonObject): JsonObject => changed;

/** Whether a provider is unchanged since it was read, its seal included. */
const isSame = (row: ProviderValues, stored: ProviderValues): boolean =>
  new Date(row.updatedAt).getTime() === new Date(stored.updatedAt).getTime() &&
  Buffer.compare(row.secretEnc, stored.secretEnc) === 0;
