import { defineEntity, p } from '@mikro-orm/core';

/**
 * A started sign-in that waits for its provider's answer. It can be used once, for ten minutes. It
 * is kept for an hour, so that a sign-in that fails can be repeated.
 */
export const FlowEntity = defineEntity({
  name: 'Flow',
  tableName: 'sign_in_flow',
  properties: {
    tenant: p.string().primary().columnType('text'),
    /** SHA-256 of the state, which travels through the browser. */
    id: p.string().primary().columnType('text'),
    provider: p.text(),
    /** SHA-256 of the value of the browser's cookie. */
    bindingHash: p.blob(),
    /** The nonce of an OIDC request, the id of a SAML one. */
    request: p.text(),
    dekId: p.text(),
    /** The PKCE verifier, sealed. */
    verifierEnc: p.blob(),
    returnTo: p.text(),
    /** The application that gets a code; empty = the browser gets a session. */
    origin: p.text(),
    createdAt: p.datetime(3),
    /** 1970 = used. */
    expiresAt: p.datetime(3),
    keptUntil: p.datetime(3).defaultRaw('now()'),
    /** Whether this sign-in repeats another one by itself. */
    restarted: p.boolean().default(false),
  },
  indexes: [
    { name: 'sign_in_flow_expires_at', properties: ['expiresAt'] },
    { name: 'sign_in_flow_kept_until', properties: ['keptUntil'] },
    { name: 'sign_in_flow_dek', properties: ['tenant', 'dekId', 'id'] },
  ],
});

/** A used SAML assertion, which is never accepted again. */
export const UsedAssertionEntity = defineEntity({
  name: 'UsedAssertion',
  tableName: 'used_assertion',
  properties: {
    tenant: p.string().primary().columnType('text'),
    provider: p.string().primary().columnType('text'),
    /** SHA-256 of its id. */
    id: p.string().primary().columnType('text'),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'used_assertion_expires_at', properties: ['expiresAt'] }],
});
