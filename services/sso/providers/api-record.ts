import { encodeJson, type JsonObject, timeOf } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import {
  type SsoProvider,
  SsoProviderSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { addressOf } from '../addresses.ts';
import type { StoredGiver } from '../delegation.ts';
import { factsOf } from '../saml/certificates.ts';
import type { LeavingCertificate, Mapping, PendingCertificate } from './entities.ts';
import { expiryOfLast } from './rollover/certificates.ts';

/** The columns that a client sets. */
export type Settable = Omit<
  ProviderValues,
  | 'tenant'
  | 'id'
  | 'kind'
  | 'dekId'
  | 'secretEnc'
  | 'spCertificate'
  | 'vouchId'
  | 'voucher'
  | 'savedBy'
  | 'confirmedBy'
  | 'giver'
  | 'metadataSigner'
  | 'metadataReadAt'
  | 'metadataError'
  | 'metadataFailures'
  | 'metadataDueAt'
  | 'pendingCertificates'
  | 'leavingCertificates'
  | 'certificatesDueAt'
  | 'expiryNotice'
  | 'lastLoginAt'
  | 'lastError'
  | 'groupsStatedAt'
  | 'lastWarning'
  | 'lastWarningAt'
  | 'createdAt'
  | 'updatedAt'
>;

/** The columns of a provider. The driver returns times of prepared statements as text. */
export type ProviderValues = {
  tenant: string;
  id: string;
  kind: string;
  name: string;
  active: boolean;
  issuer: string;
  clientId: string;
  scopes: string[];
  tokenAuthMethod: string;
  responseMode: string;
  dekId: string;
  secretEnc: Uint8Array;
  idpEntityId: string;
  idpSsoUrl: string;
  idpCertificates: string[];
  requestBinding: string;
  spCertificate: string;
  allowIdpInitiated: boolean;
  jit: boolean;
  defaultRoles: string[];
  groupMappings: Mapping[];
  attributeMap: Record<string, string>;
  preset: string;
  authorizationUrl: string;
  tokenUrl: string;
  userinfoUrl: string;
  emailsUrl: string;
  assuranceMap: Record<string, string>;
  keyId: string;
  teamId: string;
  absentGroups: string;
  wantEncrypted: boolean;
  groupsStatedAt?: Date | string | null | undefined;
  lastWarning: string;
  lastWarningAt?: Date | string | null | undefined;
  vouchId: string;
  voucher: string;
  savedBy: string;
  confirmedBy: string;
  giver?: StoredGiver | null | undefined;
  metadataUrl: string;
  metadataSigner: string;
  metadataReadAt?: Date | string | null | undefined;
  metadataError: string;
  metadataFailures: number;
  metadataDueAt?: Date | string | null | undefined;
  certificateChanges: string;
  pendingCertificates: PendingCertificate[];
  leavingCertificates: LeavingCertificate[];
  certificatesDueAt?: Date | string | undefined;
  expiryNotice: string;
  lastLoginAt?: Date | string | null | undefined;
  lastError: string;
  createdAt: Date | string;
  updatedAt: Date | string;
};

/** The API record, without sealed columns. */
export function toApi(row: ProviderValues, publicUrl: string): SsoProvider {
  const {
    groupMappings,
    attributeMap,
    assuranceMap,
    scopes,
    idpCertificates,
    defaultRoles,
    lastLoginAt,
    lastWarningAt,
    groupsStatedAt: _stated,
    createdAt,
    updatedAt,
    secretEnc: _sealed,
    vouchId,
    voucher: _voucher,
    giver: _giver,
    metadataSigner: _signer,
    metadataFailures: _failures,
    metadataDueAt: _metadataDue,
    certificatesDueAt: _certificatesDue,
    expiryNotice: _notice,
    pendingCertificates: _pending,
    leavingCertificates: _leaving,
    metadataReadAt,
    ...fields
  } = row;
  const callback = addressOf(publicUrl, row, 'callback');
  const isSaml = row.kind === 'saml';
  return create(SsoProviderSchema, {
    ...fields,
    unconfirmed: vouchId !== '',
    scopes: { items: scopes },
    idpCertificates: { items: idpCertificates },
    defaultRoles: { items: defaultRoles },
    groupMappings: {
      items: groupMappings.map(({ value, group, role }) => ({ value, group, role })),
    },
    attributeMap: { items: attributeMap },
    assuranceMap: { items: assuranceMap },
    spEntityId: isSaml ? addressOf(publicUrl, row, 'metadata') : '',
    acsUrl: isSaml ? callback : '',
    redirectUri: isSaml ? '' : callback,
    ...(isSaml ? rolloverOf(row) : { certificateChanges: '' }),
    ...(metadataReadAt ? { metadataReadAt: timeOf(metadataReadAt) } : {}),
    ...(lastLoginAt ? { lastLoginAt: timeOf(lastLoginAt) } : {}),
    ...(lastWarningAt ? { lastWarningAt: timeOf(lastWarningAt) } : {}),
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
  });
}

const certificateRecord = (certificate: string) => {
  const facts = factsOf(certificate);
  return { certificate, fingerprint: facts?.fingerprint ?? '' };
};

/** The certificates that come and go, and when the last one expires. */
function rolloverOf(row: ProviderValues) {
  const expiry = expiryOfLast(row, new Date());
  return {
    pendingCertificates: row.pendingCertificates.map(({ certificate, foundAt, countsAt }) => {
      const expiresAt = factsOf(certificate)?.expiresAt;
      return {
        ...certificateRecord(certificate),
        ...(expiresAt && { expiresAt: timeOf(expiresAt) }),
        foundAt: timeOf(foundAt),
        ...(countsAt !== null && { countsAt: timeOf(countsAt) }),
      };
    }),
    leavingCertificates: row.leavingCertificates.map(({ certificate, endsAt }) => ({
      ...certificateRecord(certificate),
      endsAt: timeOf(endsAt),
    })),
    ...(expiry && { certificatesExpireAt: timeOf(expiry) }),
  };
}

/** The API record in documented JSON, as events carry it. */
export const toJson = (row: ProviderValues, publicUrl: string): JsonObject =>
  encodeJson(SsoProviderSchema, toApi(row, publicUrl));

export const targetOf = ({ id, name }: Pick<ProviderValues, 'id' | 'name'>) => ({
  Type: 'sso_provider',
  ID: id,
  Name: name,
});

/** Writes the event of a provider change to the outbox. */
export function recordProviderEvent(
  tx: Transaction,
  type: string,
  { row, publicUrl, previous = {} }: ProviderChange,
): void {
  record(tx, {
    tenant: row.tenant,
    type,
    data: toJson(row, publicUrl),
    previous,
    targets: [targetOf(row)],
  });
}

export type ProviderChange = { row: ProviderValues; publicUrl: string; previous?: JsonObject };
