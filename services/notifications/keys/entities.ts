import { defineEntity, p } from '@mikro-orm/core';

/** A tenant's data key, wrapped by a key of the key ring. The newest one seals, all of them open. */
export const DekEntity = defineEntity({
  name: 'Dek',
  tableName: 'dek',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** The key of the ring that wraps it. */
    kek: p.text(),
    wrapped: p.blob(),
    createdAt: p.datetime(3),
  },
});
