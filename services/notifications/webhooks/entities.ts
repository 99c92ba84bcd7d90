import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A tenant's webhook endpoint. */
export const WebhookEndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    name: p.text(),
    /** The URL in clear, which versions before sealed URLs need; empty = it is sealed. */
    url: p.text(),
    /** The URL, sealed with a data key of its own: it may hold a secret of the receiver. */
    urlEnc: p.blob().nullable(),
    urlDekId: p.text().default(''),
    /** The sealed URL as events show it. */
    urlMasked: p.text().default(''),
    active: p.boolean(),
    /** Empty = all. */
    eventTypes: p.array(),
    description: p.text(),
    /** Deliveries a second; 0 = no limit. */
    rateLimit: p.integer(),
    dekId: p.text(),
    /** The signing secret, sealed. */
    secretEnc: p.blob(),
    /**
     * The previous secret, sealed with the same data key. It signs as well until
     * `previousSecretUntil`.
     */
    previousSecretEnc: p.blob().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    /** Why the service disabled it; empty = it did not. */
    disabledReason: p.text(),
    disabledAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'webhook_endpoint_id', properties: ['id'] },
    {
      name: 'webhook_endpoint_event_types',
      properties: ['eventTypes'],
      type: 'gin',
      where: 'active',
    },
    {
      name: 'webhook_endpoint_clear_url',
      properties: ['tenant', 'id'],
      where: "url <> ''",
    },
    {
      name: 'webhook_endpoint_previous_secret',
      properties: ['previousSecretUntil'],
      where: 'previous_secret_until is not null',
    },
  ],
});

export type WebhookEndpointRow = InferEntity<typeof WebhookEndpointEntity>;
