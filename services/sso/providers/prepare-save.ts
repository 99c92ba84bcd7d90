import { assertUnchanged, createId } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import {
  SsoProviderSchema,
  type SsoSaveProviderRequest,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { create } from '@bufbuild/protobuf';
import { normaliseSigningKey } from '../oidc/client-authentication.ts';
import { createSpCertificate } from '../saml/certificates.ts';
import type { ProviderValues, Settable } from './api-record.ts';
import { type ConfirmationChange, planConfirmation } from './confirmation.ts';
import { type Credentials, openCredentials, sealCredentials } from './credentials.ts';
import type { ProviderDeps } from './deps.ts';
import { requiresSso } from './last-provider.ts';
import { type KnownMetadata, leftOutWarning } from './metadata.ts';
import { findProvider, providerNotFound } from './queries.ts';
import { isReserved } from './reservations/queries.ts';
import { assertMayGrantThroughProvider } from './rights.ts';
import { loosensSigner } from './rollover/save.ts';
import { assertComplete, settableOf } from './values.ts';

/** The provider of a request; undefined if the request creates one, also with a reserved ID. */
export async function findStored(
  { database }: ProviderDeps,
  request: SsoSaveProviderRequest,
): Promise<ProviderValues | undefined> {
  const { tenant = '', id = '' } = request.provider ?? {};
  const stored = id === '' ? undefined : await findProvider(database, tenant, id);
  if (id !== '' && !stored && !(await isReserved(database, tenant, id))) throw providerNotFound();
  assertUnchanged('the provider', stored, request.ifUpdatedAt);
  return stored;
}

export type Save = { request: SsoSaveProviderRequest; metadata: KnownMetadata | undefined };

/** Everything that a save writes, read, sealed and checked before the transaction. */
export type PreparedSave = {
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

export const switchesOff = (stored: ProviderValues | undefined, values: Settable): boolean =>
  stored?.active === true && !values.active;

/** Reads, seals and checks everything that a save writes. */
export async function prepareSave(
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

export function kindOf(requested: string, stored: ProviderValues | undefined): string {
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
