import { defineEntity, p } from '@mikro-orm/core';

/** What is wrong with an endpoint, of whatever kind. One that nothing is wrong with, and nothing is kept back for, has no row. */
export const EndpointHealthEntity = defineEntity({
  name: 'EndpointHealth',
  tableName: 'endpoint_health',
  properties: {
    tenant: p.string().primary().columnType('text'),
    endpoint: p.string().primary().columnType('text'),
    /** The first of the failures since its last success. */
    failingSince: p.datetime(3).nullable(),
    /** When a task was given up after its last attempt, since the last success. */
    exhaustedAt: p.datetime(3).nullable(),
    /** When its failing was last told of, and how many of the notices that depend on time have been. */
    toldAt: p.datetime(3).nullable(),
    notices: p.integer().default(0),
    /** Until then nothing is sent: the receiver asked for it, or has failed too often. */
    pausedUntil: p.datetime(3).nullable(),
    /** How long the last pause was that the failures brought about; 0 = they brought about none that still counts. */
    pauseMs: p.integer().default(0),
    /** Whether tasks are kept back, how many of them are let go at once, and not before when. */
    parked: p.boolean().default(false),
    releaseSize: p.integer().default(8),
    releaseAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'endpoint_health_parked', properties: ['releaseAt'], where: 'parked' }],
});
