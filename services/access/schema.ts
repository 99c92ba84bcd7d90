import type { ServiceSchema } from '@bailiwick/shared/migrations.ts';
import { OutboxEntity } from '@bailiwick/shared/outbox.ts';
import { AuditEntryEntity, AuditHeadEntity } from './audit/entities.ts';
import { GrantEntity } from './grants/entities.ts';
import { GroupEntity, GroupMemberEntity } from './groups/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { TenantEntity, TenantMemberEntity } from './tenants/entities.ts';

export const accessSchema: ServiceSchema = {
  service: 'access',
  entities: [OutboxEntity, TenantEntity, TenantMemberEntity, GroupEntity, GroupMemberEntity, GrantEntity, AuditEntryEntity, AuditHeadEntity],
  migrations: [{ name: '001-initial', class: Initial }],
  compatibleFrom: 1,
};
