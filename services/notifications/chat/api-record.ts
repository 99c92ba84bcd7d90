import { encodeJson, type JsonObject } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import { ChatEndpointSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type EndpointValues, sharedFields } from '../endpoints/values.ts';
import type { ChatEndpointRow } from './entities.ts';

/** The endpoint columns that the API record exposes. */
export type EndpointColumns = EndpointValues & Pick<ChatEndpointRow, 'kind'>;

/** The API record, without the sealed URL: clients cannot use ciphertext. */
export function toApi(row: EndpointColumns): MessageInitShape<typeof ChatEndpointSchema> {
  return { ...sharedFields(row), kind: row.kind };
}

/** The API record in documented JSON, as events carry it. */
export const toJson = (row: EndpointColumns): JsonObject =>
  encodeJson(ChatEndpointSchema, create(ChatEndpointSchema, toApi(row)));

/** The columns of a URL: the sealed URL and its data key. */
export type SealedUrl = Pick<ChatEndpointRow, 'dekId' | 'urlEnc'>;

/**
 * The `previous` entry of an event for a replaced URL. The API record never shows more of the URL.
 */
export const replacedUrl = { URLEnc: '' } as const;

/** The context that a URL is sealed with: the record and the field. */
export const urlContext = (endpoint: string) => [endpoint, 'url'] as const;

/** Writes an endpoint's event to the outbox in the transaction. */
export function recordEndpointEvent(
  tx: Transaction,
  type: string,
  row: ChatEndpointRow,
  previous?: Record<string, unknown>,
): void {
  record(tx, {
    tenant: row.tenant,
    type,
    data: toJson(row),
    ...(previous ? { previous } : {}),
    targets: [{ Type: 'chat_endpoint', ID: row.id, Name: row.name }],
  });
}
