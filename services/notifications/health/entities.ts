import { defineEntity, p } from '@mikro-orm/core';

/** The health of an endpoint of either kind. A healthy endpoint without parked tasks has no row. */
export const EndpointHealthEntity = defineEntity({
  name: 'EndpointHealth',
  tableName: 'endpoint_health',
  properties: {
    tenant: p.string().primary().columnType('text'),
    endpoint: p.string().primary().columnType('text'),
    /** The first failure since the last success. */
    failingSince: p.datetime(3).nullable(),
    /** When a task was dead-lettered after its last attempt, since the last success. */
    exhaustedAt: p.datetime(3).nullable(),
    /**
     * When the owners were last notified of the failure, and how many of the timed notices were
     * sent.
     */
    toldAt: p.datetime(3).nullable(),
    notices: p.integer().default(0),
    /** Nothing is sent before this time: the receiver asked for it, or the breaker opened. */
    pausedUntil: p.datetime(3).nullable(),
    /** The length of the breaker's last pause; 0 = the breaker is closed. */
    pauseMs: p.integer().default(0),
    /**
     * Whether tasks are parked, how many are released at once, and the earliest time of the next
     * release.
     */
    parked: p.boolean().default(false),
    releaseSize: p.integer().default(8),
    releaseAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'endpoint_health_parked', properties: ['releaseAt'], where: 'parked' }],
});
