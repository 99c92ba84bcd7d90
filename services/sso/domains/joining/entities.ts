import { defineEntity, p } from '@mikro-orm/core';

/** A handled event of a verified address. A redelivered event never adds the user again. */
export const HandledJoinEntity = defineEntity({
  name: 'HandledJoin',
  tableName: 'handled_join',
  properties: {
    tenant: p.string().primary().columnType('text'),
    event: p.string().primary().columnType('text'),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'handled_join_created_at', properties: ['createdAt'] }],
});
