import { encodeJson, type JsonObject, timeOf } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import {
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type EndpointValues, sharedFields, updatedValues } from '../endpoints/values.ts';
import type { WebhookEndpointRow } from './entities.ts';
import { displayUrl, type UrlColumns } from './url.ts';

/** The endpoint columns that the API record exposes. */
export type EndpointColumns = EndpointValues &
  UrlColumns &
  Pick<WebhookEndpointRow, 'rateLimit'> & {
    previousSecretUntil?: Date | string | null | undefined;
  };

/**
 * The API record with the whole URL, without the sealed secret: clients cannot use ciphertext.
 */
export function toApi(
  row: EndpointColumns,
  url: string,
): MessageInitShape<typeof WebhookEndpointSchema> {
  return {
    ...sharedFields(row),
    url,
    rateLimit: row.rateLimit,
    // An expired previous secret is not shown, even before the sweeper erases it.
    ...(row.previousSecretUntil && new Date(row.previousSecretUntil) > new Date()
      ? { previousSecretUntil: timeOf(row.previousSecretUntil) }
      : {}),
  };
}

/**
 * The record in documented JSON, as events and audit entries carry it. The URL is masked, since its
 * query and its path may hold the receiver's secret.
 */
export const toJson = (row: EndpointColumns): JsonObject =>
  encodeJson(WebhookEndpointSchema, create(WebhookEndpointSchema, toApi(row, displayUrl(row))));

/** The columns that an update sets, apart from the URL. */
export function updateOf(endpoint: WebhookEndpoint, stored: WebhookEndpointRow) {
  return {
    ...updatedValues(endpoint, stored),
    rateLimit: endpoint.rateLimit ?? stored.rateLimit,
  };
}

/** The context that a signing secret is sealed with: the record and the field. */
export const secretContext = (endpoint: string) => [endpoint, 'secret'] as const;
export const previousSecretContext = (endpoint: string) => [endpoint, 'previous_secret'] as const;

/** Writes an endpoint's event to the outbox in the transaction. */
export function recordEndpointEvent(
  tx: Transaction,
  type: string,
  row: WebhookEndpointRow,
  previous?: JsonObject,
): void {
  record(tx, {
    tenant: row.tenant,
    type,
    data: toJson(row),
    ...(previous ? { previous } : {}),
    targets: [{ Type: 'webhook_endpoint', ID: row.id, Name: row.name }],
  });
}
