import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A tenant's chat endpoint. */
export const ChatEndpointEntity = defineEntity({
  name: 'ChatEndpoint',
  tableName: 'chat_endpoint',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    name: p.text(),
    /** The chat service, recognised by the URL or chosen by the client. */
    kind: p.text(),
    active: p.boolean(),
    /** Empty = all. */
    eventTypes: p.array(),
    description: p.text(),
    dekId: p.text(),
    /** The URL, sealed: it allows posting into the channel. */
    urlEnc: p.blob(),
    /** Why the service disabled it; empty = it did not. */
    disabledReason: p.text(),
    disabledAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'chat_endpoint_id', properties: ['id'] },
    { name: 'chat_endpoint_event_types', properties: ['eventTypes'], type: 'gin', where: 'active' },
  ],
});

export type ChatEndpointRow = InferEntity<typeof ChatEndpointEntity>;
