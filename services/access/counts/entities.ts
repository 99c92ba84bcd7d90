import { defineEntity, p } from '@mikro-orm/core';

/**
 * The counts of a tenant on one day in UTC. The statement that stores an audit entry counts
 * it, so that a redelivered entry counts once.
 */
export const DailyCountEntity = defineEntity({
  name: 'DailyCount',
  tableName: 'daily_count',
  properties: {
    /** "" = the platform. */
    tenant: p.string().primary().columnType('text'),
    kind: p.string().primary().columnType('text').$type<DailyKind>(),
    day: p.string().primary().columnType('date'),
    count: p.integer(),
  },
  indexes: [{ name: 'daily_count_age', properties: ['day'] }],
});

/** sign_in: by an active member; on the platform by any user. denied: a call about the tenant. */
export type DailyKind = 'sign_in' | 'denied';
