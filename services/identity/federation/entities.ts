import { defineEntity, p } from '@mikro-orm/core';
import type { Trust } from './trust.ts';

/** Who a user is to an identity provider. The address is what the provider told when the two were linked: it is no part of who somebody is. */
export const IdentityLinkEntity = defineEntity({
  name: 'IdentityLink',
  tableName: 'identity_link',
  properties: {
    tenant: p.string().primary().columnType('text'),
    provider: p.string().primary().columnType('text'),
    issuer: p.string().primary().columnType('text'),
    subject: p.string().primary().columnType('text'),
    userId: p.text(),
    email: p.text(),
    /** What vouches for the link: see trust.ts. */
    trust: p.text().$type<Trust>().default('address'),
    /** Whether the tenant no longer had the account's domain verified at the last sign-in. */
    lapsed: p.boolean().default(false),
    /** SHA-256 of the stored password hash when the link was made; null = the account had no password then. */
    passwordMark: p.text().nullable(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3),
  },
  // Whom an address was given to anew at the provider does not get what belongs to the one who had it before.
  uniques: [{ name: 'identity_link_user', properties: ['tenant', 'provider', 'userId'] }],
  indexes: [{ name: 'identity_link_user_id', properties: ['userId', 'provider'] }],
});

/** A session that an application may begin with a code. */
export const SignInCodeEntity = defineEntity({
  name: 'SignInCode',
  tableName: 'sign_in_code',
  properties: {
    tokenHash: p.blob().primary(),
    userId: p.text(),
    /** The address at issue: the code dies with a change of it. */
    emailKey: p.text(),
    // Not named "tenant": like the session that comes of it, the row is the user's.
    ssoTenant: p.text(),
    provider: p.text(),
    authMethod: p.text(),
    /** Where the code was sent to: the only pages that may use it. */
    origin: p.text(),
    /** Of the browser that signed in. */
    ip: p.text(),
    userAgent: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'sign_in_code_user_id', properties: ['userId'] },
    { name: 'sign_in_code_provider', properties: ['ssoTenant', 'provider'] },
  ],
});
