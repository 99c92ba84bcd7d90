import { defineEntity, p } from '@mikro-orm/core';

/**
 * An attempt to register an address. Verifying its token turns it into a user; an address may have
 * several attempts.
 */
export const RegistrationEntity = defineEntity({
  name: 'Registration',
  tableName: 'registration',
  properties: {
    userId: p.string().primary().columnType('text'),
    email: p.text(),
    emailKey: p.text(),
    passwordHash: p.text(),
    /**
     * Attempts with the same password share a group: salted hashes cannot be compared with each
     * other.
     */
    passwordGroup: p.text(),
    tokenHash: p.blob(),
    locale: p.text().default(''),
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
    /** The address at issue: the token is void after a change of address. */
    emailKey: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'reset_token_user_id', properties: ['userId'] }],
});

/** A requested change of address. It takes effect when the new address is verified. */
export const EmailChangeEntity = defineEntity({
  name: 'EmailChange',
  tableName: 'email_change',
  properties: {
    tokenHash: p.blob().primary(),
    userId: p.text(),
    email: p.text(),
    emailKey: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'email_change_user_id', properties: ['userId'] }],
});

/** A code that was mailed to an address, for the browser that asked for it. */
export const MailedCodeEntity = defineEntity({
  name: 'MailedCode',
  tableName: 'mailed_code',
  properties: {
    /** SHA-256 of the token that the browser has. */
    requestHash: p.blob().primary(),
    /** '' = no code was mailed, so none opens a session. */
    userId: p.text(),
    /** The address at issue: the code is void after a change of address. */
    emailKey: p.text(),
    codeHash: p.blob(),
    tries: p.integer().default(0),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'mailed_code_user_id', properties: ['userId'] },
    { name: 'mailed_code_expires_at', properties: ['expiresAt'] },
  ],
});
