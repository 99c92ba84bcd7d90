import { defineEntity, p } from '@mikro-orm/core';

/**
 * A session of a person that an app got a code from. The row is removed when the session ends, or
 * the person withdraws the app's access.
 */
export const AppSignInEntity = defineEntity({
  name: 'AppSignIn',
  tableName: 'app_sign_in',
  properties: {
    /** The tenant of the app; '' = the platform. */
    tenant: p.string().primary().columnType('text'),
    app: p.string().primary().columnType('text'),
    sessionId: p.string().primary().columnType('text'),
    /** The tenant that the sign-in is for; '' = none. */
    place: p.string().primary().columnType('text'),
    userId: p.text(),
    scopes: p.array().columnType('text[]'),
    /** The latest sign-in. */
    signedInAt: p.datetime(3),
  },
  indexes: [
    { name: 'app_sign_in_session', properties: ['sessionId'] },
    { name: 'app_sign_in_user', properties: ['userId', 'app'] },
  ],
});

/** A person's consent to an app that needs one, for the scopes that the person has seen. */
export const AppConsentEntity = defineEntity({
  name: 'AppConsent',
  tableName: 'app_consent',
  properties: {
    /** The tenant of the app; '' = the platform. */
    tenant: p.string().primary().columnType('text'),
    app: p.string().primary().columnType('text'),
    userId: p.string().primary().columnType('text'),
    scopes: p.array().columnType('text[]'),
    consentedAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'app_consent_user', properties: ['userId', 'app'] },
    { name: 'app_consent_expires_at', properties: ['expiresAt'] },
  ],
});
