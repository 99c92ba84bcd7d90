import { defineEntity, p } from '@mikro-orm/core';

/**
 * The attempts at an endpoint that began within one hour. The statement that records an attempt
 * counts it, so that an attempt that is recorded twice counts once.
 */
export const DeliveryHourEntity = defineEntity({
  name: 'DeliveryHour',
  tableName: 'delivery_hour',
  properties: {
    tenant: p.string().primary().columnType('text'),
    endpoint: p.string().primary().columnType('text'),
    hour: p.datetime(3).primary(),
    delivered: p.integer(),
    retried: p.integer(),
    failed: p.integer(),
    /** The durations of the attempts together. */
    totalMs: p.bigint(),
    longestMs: p.integer(),
  },
  indexes: [{ name: 'delivery_hour_age', properties: ['hour'] }],
});
