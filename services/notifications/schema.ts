import { DekEntity } from '@bailiwick/keys';
import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import { RateWindowEntity, type ServiceSchema } from '@bailiwick/store';
import { ChatEndpointEntity } from './chat/entities.ts';
import { MailSuppressionEntity } from './email/entities.ts';
import { PublishedEventEntity } from './events/entities.ts';
import { EndpointHealthEntity } from './health/entities.ts';
import { DeletedEndpointEntity, DeliveryMessageEntity } from './messages/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { ChatEndpoints } from './migrations/002-chat-endpoints.ts';
import { EndpointHealth } from './migrations/003-endpoint-health.ts';
import { KeyRotation } from './migrations/004-key-rotation.ts';
import { Watching } from './migrations/005-watching.ts';
import { Mail } from './migrations/006-mail.ts';
import { Messages } from './migrations/007-messages.ts';
import { Idempotency } from './migrations/008-idempotency.ts';
import { WantedTypes } from './migrations/009-wanted-types.ts';
import { DeliveryHours } from './migrations/010-delivery-hours.ts';
import { Portals } from './migrations/011-portals.ts';
import { SealedUrls } from './migrations/012-sealed-urls.ts';
import { WebhookPortalEntity } from './portals/entities.ts';
import { DeliveryAttemptEntity, DeliveryWaitingEntity } from './queue/entities.ts';
import { DeliveryHourEntity } from './stats/entities.ts';
import { WebhookEndpointEntity } from './webhooks/entities.ts';
import { sealedUrlsVersion } from './webhooks/url.ts';

export const notificationsSchema: ServiceSchema = {
  service: 'notifications',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
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
    { name: '001-initial', class: Initial },
    { name: '002-chat-endpoints', class: ChatEndpoints },
    { name: '003-endpoint-health', class: EndpointHealth },
    { name: '004-key-rotation', class: KeyRotation },
    { name: '005-watching', class: Watching },
    { name: '006-mail', class: Mail },
    { name: '007-messages', class: Messages },
    { name: '008-idempotency', class: Idempotency },
    { name: '009-wanted-types', class: WantedTypes },
    { name: '010-delivery-hours', class: DeliveryHours },
    { name: '011-portals', class: Portals },
    { name: '012-sealed-urls', class: SealedUrls },
  ],
  compatibleFrom: 1,
  settledFrom: sealedUrlsVersion,
};
