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
    /** Whether the provider was not confirmed when the link was made. */
    unconfirmed: p.boolean().default(false),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3),
  },
  // A person who is given an existing address at the provider must not get the previous holder's
  // account.
  uniques: [{ name: 'identity_link_user', properties: ['tenant', 'provider', 'userId'] }],
  indexes: [{ name: 'identity_link_user_id', properties: ['userId', 'provider'] }],
});

/**
 * The identity of a social sign-in whose address belongs to a user: linked once that user has
 * signed in. Only the browser of that sign-in has the token.
 */
export const PendingLinkEntity = defineEntity({
  name: 'PendingLink',
  tableName: 'pending_link',
  properties: {
    tokenHash: p.blob().primary(),
    userId: p.text(),
    /** The user's address at that time: a user with another address is not asked for. */
    emailKey: p.text(),
    provider: p.text(),
    /** For the mail and the page. */
    providerName: p.text(),
    issuer: p.text(),
    subject: p.text(),
    /** The address that the provider asserted. */
    email: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'pending_link_user_id', properties: ['userId'] }],
});

/**
 * An unconfirmed change of a provider, which limits what the provider opens. The tenant is
 * "" for a provider of the platform.
 */
export const UnconfirmedProviderEntity = defineEntity({
  name: 'UnconfirmedProvider',
  tableName: 'unconfirmed_provider',
  properties: {
    tenant: p.string().primary().columnType('text'),
    provider: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** The principals who answer for the change (packages/contract/voucher.ts). */
    voucher: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});
