import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import {
  assertUnchanged,
  changedFields,
  createId,
  type JsonObject,
  timeAfter,
} from '@bailiwick/contract';
import { invalid, unavailable } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import {
  SsoProviderSchema,
  type SsoSaveProviderRequest,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { type InferEntity, LockMode } from '@mikro-orm/core';
import { giverOf } from '../delegation.ts';
import { normaliseSigningKey } from '../oidc/client-authentication.ts';
import { rowOf } from '../rows.ts';
import { createSpCertificate } from '../saml/certificates.ts';
import { type ProviderValues, recordProviderEvent, type Settable, toJson } from './api-record.ts';
import { changesSubjects } from './changes.ts';
import {
  announce,
  type ConfirmationChange,
  conclude,
  confirmationOf,
  planConfirmation,
} from './confirmation.ts';
import { type Credentials, openCredentials, sealCredentials } from './credentials.ts';
import type { ProviderDeps } from './deps.ts';
import { ProviderEntity } from './entities.ts';
import { forgetIdentities } from './forget.ts';
import { insertProvider } from './insert.ts';
import { assertNotLastProvider, requiresSso } from './last-provider.ts';
import { type KnownMetadata, keptWarning, leftOutWarning, readMetadata } from './metadata.ts';
import { findProvider, providerNotFound } from './queries.ts';
import { isReserved, takeReservation } from './reservations/queries.ts';
import { assertMayGrantThroughProvider } from './rights.ts';
import { loosensSigner, newColumns, savedColumns } from './rollover/save.ts';
import { assertComplete, settableOf } from './values.ts';

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

/** The provider of a request; undefined if the request creates one, also with a reserved ID. */
async function findStored(
  { database }: ProviderDeps,
  request: SsoSaveProviderRequest,
): Promise<ProviderValues | undefined> {
  const { tenant = '', id = '' } = request.provider ?? {};
  const stored = id === '' ? undefined : await findProvider(database, tenant, id);
  if (id !== '' && !stored && !(await isReserved(database, tenant, id))) throw providerNotFound();
  assertUnchanged('the provider', stored, request.ifUpdatedAt);
  return stored;
}

type Save = { request: SsoSaveProviderRequest; metadata: KnownMetadata | undefined };

/** Everything that a save writes, read, sealed and checked before the transaction. */
type PreparedSave = {
  key: { tenant: string; id: string };
  kind: string;
  stored: ProviderValues | undefined;
  /** The new columns. `sealed` is undefined while the stored credentials stay. */
  values: Settable;
  sealed: Awaited<ReturnType<typeof sealCredentials>> | undefined;
  spCertificate: string;
  replacesSecret: boolean;
  /** The change of the confirmation; undefined = none. */
  confirmationChange: ConfirmationChange | undefined;
  /** The warning about the request's metadata, or ""; undefined if it has none. */
  warning: string | undefined;
  /** Whether the tenant requires SSO; asked only if the save switches the provider off. */
  isSsoRequired: boolean;
};

const switchesOff = (stored: ProviderValues | undefined, values: Settable): boolean =>
  stored?.active === true && !values.active;

/** Saves once; undefined if the provider was changed since it was read. */
async function trySave(
  deps: ProviderDeps,
  save: Save,
  call: Call,
): Promise<ProviderValues | undefined> {
  const prepared = await prepare(deps, save, call);
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

async function prepare(
  deps: ProviderDeps,
  { request, metadata }: Save,
  call: Call,
): Promise<PreparedSave> {
  const input = request.provider ?? create(SsoProviderSchema);
  const stored = await findStored(deps, request);
  const kind = kindOf(input.kind, stored);
  const values = settableOf(kind, input, stored, metadata);
  const before = stored && (await openCredentials(deps.keys, stored));
  // A stored secret is kept for its issuer and address only, so that it is never sent to others.
  const isSameIssuer = stored?.issuer === values.issuer && stored.tokenUrl === values.tokenUrl;
  const { clientSecret, signingKey } = secretsOf(request, isSameIssuer ? before : undefined);
  const { tenant } = input;
  assertComplete(kind, values, {
    tenant,
    hasSecret: clientSecret !== '',
    hasSigningKey: signingKey !== '',
    egress: deps.egress,
  });
  if (tenant !== '') await assertMayGrantThroughProvider(deps, call, tenant, values);
  const key = { tenant: input.tenant, id: input.id === '' ? createId('sso') : input.id };
  const replacesSecret =
    clientSecret !== (before?.clientSecret ?? '') || signingKey !== (before?.signingKey ?? '');
  const own = await ownKey(key.id, { kind, values, stored, before });
  const seals = !stored || replacesSecret || own.privateKey !== before?.privateKey;
  const sealed = seals
    ? await sealCredentials(deps.keys, key, {
        clientSecret,
        signingKey,
        privateKey: own.privateKey,
      })
    : undefined;
  const isSsoRequired = switchesOff(stored, values) && (await requiresSso(deps, tenant, call));
  const confirmationChange = await planConfirmation(deps, call, {
    tenant,
    stored,
    values,
    loosensSigner: stored !== undefined && loosensSigner(stored, metadata),
    isOfVersion: request.ifUpdatedAt !== undefined,
  });
  return {
    confirmationChange,
    warning: metadata && leftOutWarning(metadata),
    key,
    kind,
    stored,
    values,
    sealed,
    spCertificate: own.certificate,
    replacesSecret,
    isSsoRequired,
  };
}

type Secrets = Pick<Credentials, 'clientSecret' | 'signingKey'>;

/** The sent secret or key, which replaces both stored ones; else the stored ones. */
function secretsOf(
  { secret, privateKey }: SsoSaveProviderRequest,
  stored: Secrets = { clientSecret: '', signingKey: '' },
): Secrets {
  if (secret === '' && privateKey === '') return stored;
  return { clientSecret: secret, signingKey: normaliseSigningKey(privateKey) };
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

function kindOf(requested: string, stored: ProviderValues | undefined): string {
  if (stored && requested !== '' && requested !== stored.kind)
    throw invalid('Provider.Kind cannot be changed');
  return stored?.kind ?? requested;
}

type KeyInput = {
  kind: string;
  values: Settable;
  stored: ProviderValues | undefined;
  before: Credentials | undefined;
};

/**
 * The private key for a provider, created when it is needed: for SAML, and for OIDC with
 * private_key_jwt.
 */
async function ownKey(
  id: string,
  { kind, values, stored, before }: KeyInput,
): Promise<{ privateKey: string; certificate: string }> {
  if (before?.privateKey)
    return { privateKey: before.privateKey, certificate: stored?.spCertificate ?? '' };
  const isNeeded = kind === 'saml' || values.tokenAuthMethod === 'private_key_jwt';
  return isNeeded ? createSpCertificate(id) : { privateKey: '', certificate: '' };
}
