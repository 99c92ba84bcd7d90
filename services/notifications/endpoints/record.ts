import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type WebhookEndpoint, WebhookEndpointSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import type { WebhookEndpointRow } from './entities.ts';

/** Of a stored endpoint, what the record shows. The driver gives times of prepared statements as texts. */
export type EndpointRecord = Omit<WebhookEndpointRow, 'secretEnc' | 'disabledAt' | 'createdAt' | 'updatedAt'> & {
  disabledAt?: Date | string | null | undefined;
  createdAt: Date | string;
  updatedAt: Date | string;
};

const time = (value: Date | string) => timestampFromDate(new Date(value));

/** The record as the API returns it. The sealed secret stays here: ciphertext helps nobody. */
export function recordOf(row: EndpointRecord): MessageInitShape<typeof WebhookEndpointSchema> {
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    url: row.url,
    active: row.active,
    dekId: row.dekId,
    eventTypes: { items: row.eventTypes },
    description: row.description,
    rateLimit: row.rateLimit,
    disabledReason: row.disabledReason,
    ...(row.disabledAt ? { disabledAt: time(row.disabledAt) } : {}),
    createdAt: time(row.createdAt),
    updatedAt: time(row.updatedAt),
  };
}

/** The record in documented JSON, as events carry it. */
export const jsonOf = (row: EndpointRecord): JsonObject => encodeJson(WebhookEndpointSchema, create(WebhookEndpointSchema, recordOf(row)));

/**
 * The columns an update sets. Name and URL are replaced as sent; what is absent of the rest stays.
 * `Active: true` clears the reason why we switched the endpoint off.
 */
export function updateOf(endpoint: WebhookEndpoint, stored: WebhookEndpointRow) {
  const active = endpoint.active ?? stored.active;
  return {
    name: endpoint.name,
    url: endpoint.url,
    active,
    eventTypes: endpoint.eventTypes?.items ?? stored.eventTypes,
    description: endpoint.description ?? stored.description,
    rateLimit: endpoint.rateLimit ?? stored.rateLimit,
    disabledReason: active ? '' : stored.disabledReason,
    disabledAt: active ? null : (stored.disabledAt ?? null),
  };
}
