import { type SealedRecord } from '@bailiwick/keys';
import { ChatEndpointEntity } from './chat/entities.ts';
import { DeliveryMessageEntity } from './messages/entities.ts';
import { DeliveryWaitingEntity } from './queue/entities.ts';
import { WebhookEndpointEntity } from './webhooks/entities.ts';

/** All sealed columns of notifications, for data key rotation. */
export const sealedRecords: readonly SealedRecord[] = [
  {
    entity: WebhookEndpointEntity,
    id: 'id',
    fields: { secretEnc: 'secret', previousSecretEnc: 'previous_secret' },
  },
  { entity: WebhookEndpointEntity, id: 'id', key: 'urlDekId', fields: { urlEnc: 'url' } },
  { entity: ChatEndpointEntity, id: 'id', fields: { urlEnc: 'url' } },
  { entity: DeliveryWaitingEntity, id: 'task', fields: { request: 'request' } },
  { entity: DeliveryMessageEntity, id: 'task', fields: { request: 'request' } },
];
