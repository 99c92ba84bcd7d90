import { OutboxEntity } from '@bailiwick/shared/outbox.ts';
import type { ServiceSchema } from '@bailiwick/shared/migrations.ts';
import { DomainEntity } from './domains/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { ProviderEntity } from './providers/entities.ts';

export const ssoSchema: ServiceSchema = {
  service: 'sso',
  entities: [OutboxEntity, DomainEntity, ProviderEntity],
  migrations: [{ name: '001-initial', class: Initial }],
  compatibleFrom: 1,
};
