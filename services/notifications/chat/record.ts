import {
  type ChatEndpoint,
  ChatEndpointSchema,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { type Origin, recordChange } from '@bailiwick/shared/outbox.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type EndpointValues, sharedFields, updatedValues } from '../endpoints/values.ts';
import type { ChatEndpointRow } from './entities.ts';

/** Of a stored endpoint, what the record shows. */
export type EndpointRecord = EndpointValues & Pick<ChatEndpointRow, 'kind'>;

/** The record as the API returns it. The sealed URL stays here: ciphertext helps nobody. */
export function recordOf(row: EndpointRecord): MessageInitShape<typeof ChatEndpointSchema> {
  return { ...sharedFields(row), kind: row.kind };
}

/** The record in documented JSON, as events carry it. */
export const jsonOf = (row: EndpointRecord): JsonObject =>
  encodeJson(ChatEndpointSchema, create(ChatEndpointSchema, recordOf(row)));

/** The columns that hold a URL: what it is sealed with, and all that is told of it. */
export type Address = Pick<ChatEndpointRow, 'dekId' | 'urlEnc' | 'kind'>;

/** The columns an update sets. Without a new address the stored one stays. */
export function updateOf(
  endpoint: ChatEndpoint,
  stored: ChatEndpointRow,
  address: Address | undefined,
) {
  return { ...updatedValues(endpoint, stored), ...address };
}

/** What an event says of a URL that was replaced: that it was. The record never shows more of it than this. */
export const replacedUrl = { URLEnc: '' } as const;

/** Where a URL is sealed: the record and the field. */
export const urlContext = (endpoint: string) => [endpoint, 'url'] as const;

/** Writes an endpoint's event into the transaction. */
export function recordEndpoint(
  em: EntityManager,
  origin: Origin,
  type: string,
  row: ChatEndpointRow,
  previous?: Record<string, unknown>,
): void {
  recordChange(em, origin, {
    tenant: row.tenant,
    type,
    data: jsonOf(row),
    ...(previous ? { previous } : {}),
    targets: [{ Type: 'chat_endpoint', ID: row.id, Name: row.name }],
  });
}
