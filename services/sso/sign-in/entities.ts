import { defineEntity, p } from '@mikro-orm/core';

/** A sign-in that somebody has begun and that its provider has not answered yet. It serves once, for ten minutes. */
export const FlowEntity = defineEntity({
  name: 'Flow',
  tableName: 'sign_in_flow',
  properties: {
    tenant: p.string().primary().columnType('text'),
    /** SHA-256 of the state, which travels through the browser. */
    id: p.string().primary().columnType('text'),
    provider: p.text(),
    /** SHA-256 of what the browser's cookie holds. */
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
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'sign_in_flow_expires_at', properties: ['expiresAt'] },
    { name: 'sign_in_flow_dek', properties: ['tenant', 'dekId', 'id'] },
  ],
});

/** A SAML assertion that was taken. It is never taken again. */
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
