import { defineEntity, p } from '@mikro-orm/core';

/** An event by which somebody has become a member, or has not. It never makes them one again. */
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
