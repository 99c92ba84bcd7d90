import { defineEntity, p } from '@mikro-orm/core';

/**
 * A code, token, grant, session or interaction of the OpenID provider. The rows belong to users, so
 * `tenant` is always '': it names the data key that seals them.
 */
export const IssuerRecordEntity = defineEntity({
  name: 'IssuerRecord',
  tableName: 'issuer_record',
  properties: {
    tenant: p.string().primary().columnType('text'),
    /** SHA-256 of the model and the id, which may be a token. */
    id: p.string().primary().columnType('text'),
    model: p.text(),
    dekId: p.text(),
    payloadEnc: p.blob(),
    /** SHA-256 of the grant that it belongs to, '' = none. Ending the grant ends it. */
    grantHash: p.text(),
    /** SHA-256 of the second key that a session is found by, '' = none. */
    uidHash: p.text(),
    /** SHA-256 of the code that a user types for a device, '' = none. */
    userCodeHash: p.text(),
    consumedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'issuer_record_expires_at', properties: ['expiresAt'] },
    { name: 'issuer_record_dek', properties: ['tenant', 'dekId', 'id'] },
    { name: 'issuer_record_grant', properties: ['grantHash'], where: "grant_hash <> ''" },
    {
      name: 'issuer_record_of_grant',
      properties: ['grantHash'],
      where: "model = any (array['Grant', 'RefreshAnswer'])",
    },
    { name: 'issuer_record_uid', properties: ['uidHash'], where: "uid_hash <> ''" },
    {
      name: 'issuer_record_user_code',
      properties: ['userCodeHash'],
      where: "user_code_hash <> ''",
    },
  ],
});

/** A key that signs tokens. `tenant` is always '': the keys belong to the platform. */
export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    tenant: p.string().primary().columnType('text'),
    /** The key id (kid). */
    id: p.string().primary().columnType('text'),
    algorithm: p.text(),
    dekId: p.text(),
    /** The private key as a JSON Web Key, sealed. */
    keyEnc: p.blob(),
    createdAt: p.datetime(3),
    /** When it begins to sign. Verifiers can fetch it before. */
    signsFrom: p.datetime(3),
  },
  indexes: [{ name: 'signing_key_dek', properties: ['tenant', 'dekId', 'id'] }],
});
