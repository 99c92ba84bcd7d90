import { defineEntity, p } from '@mikro-orm/core';

/** A mail domain of a tenant. Only the tenant whose claim is verified may steer where its people sign in. */
export const DomainEntity = defineEntity({
  name: 'Domain',
  tableName: 'domain',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** Lower-case punycode. */
    name: p.text(),
    /** pending, verified, lapsed or failed. */
    status: p.text(),
    /** off, suggest, join or require_sso. */
    capture: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'domain_tenant_name', properties: ['tenant', 'name'] }],
  indexes: [{ name: 'domain_name', properties: ['name'] }],
});
