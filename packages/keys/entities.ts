import { defineEntity, p } from '@mikro-orm/core';

/**
 * A tenant's data key, wrapped by a key-encryption key. The key that is not superseded seals; all
 * of them open.
 */
export const DekEntity = defineEntity({
  name: 'Dek',
  tableName: 'dek',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** The key-encryption key that wraps it. */
    kek: p.text(),
    wrapped: p.blob(),
    createdAt: p.datetime(3),
    /** A replacement has been requested. */
    rotationDue: p.boolean().default(false),
    /** When another key replaced it. Values that it sealed are resealed in the background. */
    supersededAt: p.datetime(3).nullable(),
    /** Since when no value is sealed with it. */
    unusedSince: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'dek_kek', properties: ['kek'] },
    { name: 'dek_rotation_due', properties: ['tenant', 'id'], where: 'rotation_due' },
    { name: 'dek_superseded', properties: ['tenant', 'id'], where: 'superseded_at is not null' },
  ],
});
