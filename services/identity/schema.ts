import type { ServiceSchema } from '@bailiwick/shared/migrations.ts';
import { OutboxEntity } from '@bailiwick/shared/outbox.ts';
import { RegistrationEntity, ResetTokenEntity } from './account/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { SessionEntity } from './sessions/entities.ts';
import { UserEntity } from './users/entities.ts';

export const identitySchema: ServiceSchema = {
  service: 'identity',
  entities: [OutboxEntity, UserEntity, RegistrationEntity, ResetTokenEntity, SessionEntity],
  migrations: [{ name: '001-initial', class: Initial }],
  compatibleFrom: 1,
};
