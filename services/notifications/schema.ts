import type { ServiceSchema } from '@bailiwick/shared/migrations.ts';
import { OutboxEntity } from '@bailiwick/shared/outbox.ts';
import { WebhookEndpointEntity } from './endpoints/entities.ts';
import { DekEntity } from './keys/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { DeliveryAttemptEntity, DeliveryWaitingEntity } from './queue/entities.ts';

export const notificationsSchema: ServiceSchema = {
  service: 'notifications',
  entities: [OutboxEntity, DekEntity, WebhookEndpointEntity, DeliveryAttemptEntity, DeliveryWaitingEntity],
  migrations: [{ name: '001-initial', class: Initial }],
  compatibleFrom: 1,
};
