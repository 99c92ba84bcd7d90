import { defineEntity, p } from '@mikro-orm/core';

/** An authenticator app of a user. It counts once its first code has confirmed it. */
export const TotpFactorEntity = defineEntity({
  name: 'TotpFactor',
  tableName: 'totp_factor',
  properties: {
    /** Always '': users belong to no tenant, so the platform's data key seals their secrets. */
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    userId: p.text(),
    name: p.text(),
    dekId: p.text(),
    /** The secret in Base32, sealed. */
    secretEnc: p.blob(),
    /** The time step of the last accepted code: this and earlier ones are never accepted again. */
    lastStep: p.integer(),
    confirmedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    /** The tenant whose provider opened the session that added it; '' = none. */
    ssoTenant: p.text().default(''),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'totp_factor_user_id', properties: ['userId'] },
    { name: 'totp_factor_dek', properties: ['tenant', 'dekId', 'id'] },
  ],
});

/** An unused recovery code. */
export const RecoveryCodeEntity = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_code',
  properties: {
    userId: p.string().primary().columnType('text'),
    /** argon2id of the code with the salt. */
    codeHash: p.blob().primary(),
    /** The same for all codes of a user, so that one hash compares a code with all of them. */
    salt: p.blob(),
    /** The tenant whose provider opened the session that generated it; '' = none. */
    ssoTenant: p.text().default(''),
  },
});

/** A sign-in, or an open session, that waits for a second factor. */
export const LoginChallengeEntity = defineEntity({
  name: 'LoginChallenge',
  tableName: 'login_challenge',
  properties: {
    tokenHash: p.blob().primary(),
    userId: p.text(),
    /**
     * Where it was asked for, and only there it is answered: the network of a sign-in, or the
     * `challengePlace` of an open session.
     */
    network: p.text(),
    /** The method that was right: password or email_code; '' = an open session asked. */
    authMethod: p.text(),
    tries: p.integer(),
    /** The tenant and the hash of a recovery code of single sign-on; '' and null = none. */
    recoveryTenant: p.text().default(''),
    recoveryHash: p.blob().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'login_challenge_user_id', properties: ['userId'] },
    { name: 'login_challenge_expires_at', properties: ['expiresAt'] },
  ],
});
