import { OutboxEntity } from '@bailiwick/shared/outbox.ts';
import { RateWindowEntity } from '@bailiwick/shared/limits.ts';
import type { ServiceSchema } from '@bailiwick/shared/migrations.ts';
import { DomainEntity } from './domains/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { Limits } from './migrations/002-limits.ts';
import { ProviderEntity } from './providers/entities.ts';

export const ssoSchema: ServiceSchema = {
  service: 'sso',
  entities: [OutboxEntity, DomainEntity, ProviderEntity, RateWindowEntity],
  migrations: [
    { name: '001-initial', class: Initial },
    { name: '002-limits', class: Limits },
  ],
  compatibleFrom: 1,
};
