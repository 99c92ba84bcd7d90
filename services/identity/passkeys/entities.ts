import { timeOf } from '@bailiwick/contract';
import type { PasskeySchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/passkeys_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A WebAuthn credential of a user. */
export const PasskeyEntity = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  properties: {
    id: p.string().primary().columnType('text'),
    userId: p.text(),
    /** The authenticator's own id in base64url. It is unique over all users. */
    credentialId: p.text(),
    /** A COSE key. */
    publicKey: p.blob(),
    name: p.text(),
    /** The highest count that the authenticator has signed. Synchronised passkeys always say 0. */
    signCount: p.bigint('number'),
    backupEligible: p.boolean(),
    backedUp: p.boolean(),
    transports: p.array().columnType('text[]'),
    aaguid: p.text(),
    /**
     * The provider whose session added the passkey; '' = none. Its sessions count as coming from
     * that provider.
     */
    provider: p.text().default(''),
    /** The tenant of that provider; '' = the platform, or no provider. */
    ssoTenant: p.text().default(''),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'passkey_credential_id', properties: ['credentialId'] }],
  indexes: [{ name: 'passkey_user_id', properties: ['userId', 'id'] }],
});

export type PasskeyRow = InferEntity<typeof PasskeyEntity>;

/** A challenge that was answered. It is kept until it expires, so that it works once. */
export const UsedChallengeEntity = defineEntity({
  name: 'UsedChallenge',
  tableName: 'used_challenge',
  properties: {
    challengeHash: p.blob().primary(),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'used_challenge_expires_at', properties: ['expiresAt'] }],
});

/** The columns that the API shows. Times are Dates from an entity, and text from a statement. */
export type ListedPasskey = Pick<
  PasskeyRow,
  'id' | 'name' | 'backupEligible' | 'backedUp' | 'transports' | 'aaguid'
> & { createdAt: Date | string; lastUsedAt?: Date | string | null | undefined };

export const passkeyRecord = (row: ListedPasskey): MessageInitShape<typeof PasskeySchema> => ({
  id: row.id,
  name: row.name,
  backupEligible: row.backupEligible,
  backedUp: row.backedUp,
  transports: row.transports,
  aaguid: row.aaguid,
  createdAt: timeOf(row.createdAt),
  ...(row.lastUsedAt ? { lastUsedAt: timeOf(row.lastUsedAt) } : {}),
});
