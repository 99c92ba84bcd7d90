import { defineEntity, p } from '@mikro-orm/core';
import type { Trust } from './trust.ts';

/**
 * The link between a user and an identity at a provider. The address is the one that the provider
 * asserted when they were linked; it does not identify the person.
 */
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
    /** The trust in the link: see trust.ts. */
    trust: p.text().$type<Trust>().default('address'),
    /** Whether the account's domain was no longer verified by the tenant at the last sign-in. */
    lapsed: p.boolean().default(false),
    /**
     * SHA-256 of the stored password hash when the link was made; null = the account had no
     * password.
     */
    passwordMark: p.text().nullable(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3),
  },
  // A person who is given an existing address at the provider must not get the previous holder's
  // account.
  uniques: [{ name: 'identity_link_user', properties: ['tenant', 'provider', 'userId'] }],
  indexes: [{ name: 'identity_link_user_id', properties: ['userId', 'provider'] }],
});
