import { defineEntity, p } from '@mikro-orm/core';

/** The ID of a provider that is to be saved: its addresses can be registered there first. */
export const ProviderReservationEntity = defineEntity({
  name: 'ProviderReservation',
  tableName: 'provider_reservation',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'provider_reservation_created_at', properties: ['createdAt'] }],
});
