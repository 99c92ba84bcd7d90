import { defineEntity, p } from '@mikro-orm/core';

/** What was sent to an endpoint, kept so that it can be shown and sent again: one row a task, whatever the number of its attempts. */
export const DeliveryMessageEntity = defineEntity({
  name: 'DeliveryMessage',
  tableName: 'delivery_message',
  properties: {
    task: p.string().primary().columnType('text'),
    tenant: p.text(),
    endpoint: p.text(),
    operation: p.text(),
    event: p.text(),
    type: p.text(),
    /** The webhook-id; the task's own id for chat messages. */
    delivery: p.text(),
    createdAt: p.datetime(3),
    dekId: p.text(),
    /** The documented JSON request with the body, sealed. */
    request: p.blob(),
  },
  indexes: [
    { name: 'delivery_message_delivery', properties: ['tenant', 'endpoint', 'delivery'] },
    { name: 'delivery_message_age', properties: ['createdAt'] },
    { name: 'delivery_message_dek', properties: ['tenant', 'dekId', 'task'] },
  ],
});

/** An endpoint that was deleted and whose messages have yet to go: there may be too many of them for one call. */
export const DeletedEndpointEntity = defineEntity({
  name: 'DeletedEndpoint',
  tableName: 'deleted_endpoint',
  properties: {
    tenant: p.string().primary().columnType('text'),
    endpoint: p.string().primary().columnType('text'),
    deletedAt: p.datetime(3),
  },
});
