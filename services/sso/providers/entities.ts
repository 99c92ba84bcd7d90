import { defineEntity, p } from '@mikro-orm/core';
import type { StoredGiver } from '../delegation.ts';

/** `countsAt`: null = it waits for an administrator. */
export type PendingCertificate = { certificate: string; foundAt: string; countsAt: string | null };
export type LeavingCertificate = { certificate: string; endsAt: string };

export type Mapping = { value: string; group: string; role: string };

/** An identity provider of a tenant, or of the platform (""). Columns of other kinds are empty. */
export const ProviderEntity = defineEntity({
  name: 'Provider',
  tableName: 'provider',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** oidc, oauth or saml. */
    kind: p.text(),
    name: p.text(),
    active: p.boolean(),
    issuer: p.text().default(''),
    clientId: p.text().default(''),
    scopes: p.array().default([]),
    tokenAuthMethod: p.text().default(''),
    responseMode: p.text().default(''),
    dekId: p.text().default(''),
    /** The client secret and the private keys, sealed together (credentials.ts). */
    secretEnc: p.blob(),
    idpEntityId: p.text().default(''),
    idpSsoUrl: p.text().default(''),
    idpCertificates: p.array().default([]),
    requestBinding: p.text().default(''),
    /** The certificate of the private key. */
    spCertificate: p.text().default(''),
    allowIdpInitiated: p.boolean().default(false),
    jit: p.boolean().default(true),
    defaultRoles: p.array().default([]),
    groupMappings: p.json<Mapping[]>(),
    attributeMap: p.json<Record<string, string>>(),
    preset: p.text().default(''),
    authorizationUrl: p.text().default(''),
    tokenUrl: p.text().default(''),
    userinfoUrl: p.text().default(''),
    emailsUrl: p.text().default(''),
    /** The assurance of the provider's values; empty = the usual values count. */
    assuranceMap: p.json<Record<string, string>>().default('{}'),
    /** The names of the key that signs client secrets. */
    keyId: p.text().default(''),
    teamId: p.text().default(''),
    /** The effect of an answer without a groups claim on mapped roles and groups: remove or keep. */
    absentGroups: p.text().default('remove'),
    wantEncrypted: p.boolean().default(false),
    /** When an answer had a groups claim; to the day. */
    groupsStatedAt: p.datetime(3).nullable(),
    lastWarning: p.text().default(''),
    lastWarningAt: p.datetime(3).nullable(),
    /** The unconfirmed change, and who answers for it (confirmation.ts); "" = confirmed. */
    vouchId: p.text().default(''),
    voucher: p.text().default(''),
    /** Who made and who confirmed the last change of the identifying settings. */
    savedBy: p.text().default(''),
    confirmedBy: p.text().default(''),
    /** The last saver, or the one who confirmed the provider since. */
    giver: p.json<StoredGiver>().nullable(),
    /** Where the metadata are read daily; "" = nowhere. */
    metadataUrl: p.text().default(''),
    /** The certificate whose key has signed them; "" = the first ones were not signed. */
    metadataSigner: p.text().default(''),
    metadataReadAt: p.datetime(3).nullable(),
    metadataError: p.text().default(''),
    metadataFailures: p.integer().default(0),
    metadataDueAt: p.datetime(3).nullable(),
    /** auto or ask. */
    certificateChanges: p.text().default('auto'),
    pendingCertificates: p.json<PendingCertificate[]>().default('[]'),
    leavingCertificates: p.json<LeavingCertificate[]>().default('[]'),
    /** When a certificate comes to count, is removed or is about to expire; at most in a day. */
    certificatesDueAt: p.datetime(3).defaultRaw('now()'),
    /** The expiry and the days of the last notice about it. */
    expiryNotice: p.text().default(''),
    lastLoginAt: p.datetime(3).nullable(),
    lastError: p.text().default(''),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    {
      name: 'provider_metadata_due',
      properties: ['metadataDueAt'],
      where: 'metadata_due_at is not null',
    },
    {
      name: 'provider_certificates_due',
      properties: ['certificatesDueAt'],
      where: "kind = 'saml'",
    },
  ],
});
