import { defineEntity, p } from '@mikro-orm/core';

/** Consecutive failed sign-ins to an account. */
export const LoginFailureEntity = defineEntity({
  name: 'LoginFailure',
  tableName: 'login_failure',
  properties: {
    emailKey: p.string().primary().columnType('text'),
    /** A network with an earlier success, or "" for all others together. */
    network: p.string().primary().columnType('text'),
    failures: p.integer(),
    blockedUntil: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'login_failure_updated_at', properties: ['updatedAt'] }],
});

/** The networks from which an account was signed in to. */
export const KnownNetworkEntity = defineEntity({
  name: 'KnownNetwork',
  tableName: 'known_network',
  properties: {
    emailKey: p.string().primary().columnType('text'),
    network: p.string().primary().columnType('text'),
    lastSuccessAt: p.datetime(3),
  },
});

/** The key that chooses the addresses which are treated as if they had an imported hash. */
export const LookalikeKeyEntity = defineEntity({
  name: 'LookalikeKey',
  tableName: 'lookalike_key',
  properties: {
    name: p.string().primary().columnType('text'),
    key: p.uint8array().columnType('bytea'),
  },
});
