import { DekEntity } from '@bailiwick/keys';
import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import {
  RateWindowEntity,
  RevocationEntity,
  RevocationHolderEntity,
  type ServiceSchema,
} from '@bailiwick/store';
import { ChatEndpointEntity } from './chat/entities.ts';
import { MailSuppressionEntity } from './email/entities.ts';
import { PublishedEventEntity } from './events/entities.ts';
import { EndpointHealthEntity } from './health/entities.ts';
import { DeletedEndpointEntity, DeliveryMessageEntity } from './messages/entities.ts';
import { Baseline } from './migrations/013-baseline.ts';
import { Revocations } from './migrations/014-revocations.ts';
import { RevokedEndpoints } from './migrations/015-revoked-endpoints.ts';
import { WebhookPortalEntity } from './portals/entities.ts';
import { DeliveryAttemptEntity, DeliveryWaitingEntity } from './queue/entities.ts';
import { DeliveryHourEntity } from './stats/entities.ts';
import { WebhookEndpointEntity } from './webhooks/entities.ts';

export const notificationsSchema: ServiceSchema = {
  service: 'notifications',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
    RevocationEntity,
    RevocationHolderEntity,
    RateWindowEntity,
    DekEntity,
    WebhookEndpointEntity,
    ChatEndpointEntity,
    DeliveryAttemptEntity,
    DeliveryWaitingEntity,
    EndpointHealthEntity,
    DeliveryMessageEntity,
    DeletedEndpointEntity,
    MailSuppressionEntity,
    PublishedEventEntity,
    DeliveryHourEntity,
    WebhookPortalEntity,
  ],
  migrations: [
    { name: '013-baseline', class: Baseline },
    { name: '014-revocations', class: Revocations },
    { name: '015-revoked-endpoints', class: RevokedEndpoints },
  ],
  baseline: { version: 12, last: '012-sealed-urls' },
  compatibleFrom: 1,
  // The log of revocations is complete, changes of endpoints included.
  settledFrom: 14,
};
