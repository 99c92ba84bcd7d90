import {
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { type Origin, recordChange } from '@bailiwick/shared/outbox.ts';
import { timeOf } from '@bailiwick/shared/times.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type EndpointValues, sharedFields, updatedValues } from '../endpoints/values.ts';
import type { WebhookEndpointRow } from './entities.ts';

/** Of a stored endpoint, what the record shows. */
export type EndpointRecord = EndpointValues &
  Pick<WebhookEndpointRow, 'url' | 'rateLimit'> & {
    previousSecretUntil?: Date | string | null | undefined;
  };

/** The record as the API returns it. The sealed secret stays here: ciphertext helps nobody. */
export function recordOf(row: EndpointRecord): MessageInitShape<typeof WebhookEndpointSchema> {
  return {
    ...sharedFields(row),
    url: row.url,
    rateLimit: row.rateLimit,
    // One whose time is over is none, erased or not.
    ...(row.previousSecretUntil && new Date(row.previousSecretUntil) > new Date()
      ? { previousSecretUntil: timeOf(row.previousSecretUntil) }
      : {}),
  };
}

/** The record in documented JSON, as events carry it. */
export const jsonOf = (row: EndpointRecord): JsonObject =>
  encodeJson(WebhookEndpointSchema, create(WebhookEndpointSchema, recordOf(row)));

/** The columns an update sets. The URL is replaced as sent, too. */
export function updateOf(endpoint: WebhookEndpoint, stored: WebhookEndpointRow) {
  return {
    ...updatedValues(endpoint, stored),
    url: endpoint.url,
    rateLimit: endpoint.rateLimit ?? stored.rateLimit,
  };
}

/** Where a signing secret is sealed: the record and the field. */
export const secretContext = (endpoint: string) => [endpoint, 'secret'] as const;
export const previousSecretContext = (endpoint: string) => [endpoint, 'previous_secret'] as const;

/** Writes an endpoint's event into the transaction. */
export function recordEndpoint(
  em: EntityManager,
  origin: Origin,
  type: string,
  row: WebhookEndpointRow,
  previous?: Record<string, unknown>,
): void {
  recordChange(em, origin, {
    tenant: row.tenant,
    type,
    data: jsonOf(row),
    ...(previous ? { previous } : {}),
    targets: [{ Type: 'webhook_endpoint', ID: row.id, Name: row.name }],
  });
}
