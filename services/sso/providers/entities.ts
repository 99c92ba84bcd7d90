import { defineEntity, p } from '@mikro-orm/core';

/** An identity provider of a tenant. */
export const ProviderEntity = defineEntity({
  name: 'Provider',
  tableName: 'provider',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** oidc or saml. */
    kind: p.text(),
    name: p.text(),
    active: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});
