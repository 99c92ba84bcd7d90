import { defineEntity, p } from '@mikro-orm/core';

/** A sent request, kept to show and to resend it. One row per task and all of its attempts. */
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

/**
 * A deleted endpoint whose messages are still to be deleted: there may be too many for one call.
 */
export const DeletedEndpointEntity = defineEntity({
  name: 'DeletedEndpoint',
  tableName: 'deleted_endpoint',
  properties: {
    tenant: p.string().primary().columnType('text'),
    endpoint: p.string().primary().columnType('text'),
    deletedAt: p.datetime(3),
  },
});
