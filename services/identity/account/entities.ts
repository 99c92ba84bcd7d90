import { defineEntity, p } from '@mikro-orm/core';

/** An attempt to register an address. It becomes a user when its token comes back; several may wait for one address. */
export const RegistrationEntity = defineEntity({
  name: 'Registration',
  tableName: 'registration',
  properties: {
    userId: p.string().primary().columnType('text'),
    email: p.text(),
    emailKey: p.text(),
    passwordHash: p.text(),
    /** Attempts with the same password share it: hashes are salted, so they cannot be compared with one another. */
    passwordGroup: p.text(),
    tokenHash: p.blob(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  uniques: [{ name: 'registration_token_hash', properties: ['tokenHash'] }],
  indexes: [
    { name: 'registration_email_key', properties: ['emailKey'] },
    { name: 'registration_expires_at', properties: ['expiresAt'] },
  ],
});

export const ResetTokenEntity = defineEntity({
  name: 'ResetToken',
  tableName: 'reset_token',
  properties: {
    tokenHash: p.blob().primary(),
    userId: p.text(),
    /** The address at issue: the token dies with a change of it. */
    emailKey: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'reset_token_user_id', properties: ['userId'] }],
});
