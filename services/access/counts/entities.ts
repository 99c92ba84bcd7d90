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

/** The counts of one hour. The same statement makes them. */
export const HourlyCountEntity = defineEntity({
  name: 'HourlyCount',
  tableName: 'hourly_count',
  properties: {
    tenant: p.string().primary().columnType('text'),
    kind: p.string().primary().columnType('text').$type<EventKind>(),
    hour: p.datetime(3).primary(),
    count: p.integer(),
  },
  indexes: [{ name: 'hourly_count_age', properties: ['hour'] }],
});

/** sign_in: by an active member; on the platform by any user. denied: a call about the tenant. */
export type EventKind = 'sign_in' | 'denied';

/** The added records of a kind less the removed ones; invitations: those that were sent. */
export type TrendKind = 'members' | 'invitations' | 'groups' | 'roles' | 'bots' | 'apps';

export type DailyKind = EventKind | TrendKind;
