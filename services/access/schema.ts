import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import {
  RateWindowEntity,
  RevocationEntity,
  RevocationHolderEntity,
  type ServiceSchema,
} from '@bailiwick/store';
import { AuditCheckpointEntity, AuditEntryEntity, AuditHeadEntity } from './audit/entities.ts';
import { DailyCountEntity, HourlyCountEntity } from './counts/entities.ts';
import { recountTrends } from './counts/trends.ts';
import { GrantEntity } from './grants/entities.ts';
import {
  GroupEntity,
  GroupMemberEntity,
  groupTrigrams,
  ScimMemberEntity,
} from './groups/entities.ts';
import { InvitationEntity, invitationTrigrams } from './invitations/entities.ts';
import { Baseline } from './migrations/029-baseline.ts';
import { Revocations } from './migrations/030-revocations.ts';
import { TenantSearch } from './migrations/031-tenant-search.ts';
import { AuditTargetKeys } from './migrations/032-audit-target-keys.ts';
import { GrantRoleList } from './migrations/033-grant-role-list.ts';
import { OperatorLinks } from './migrations/034-operator-links.ts';
import { HourlyCounts } from './migrations/035-hourly-counts.ts';
import { OperatorLinkEntity } from './operators/entities.ts';
import { ScimUserEntity } from './provisioned/entities.ts';
import { RoleEntity } from './roles/entities.ts';
import { ScimNoticeEntity } from './scim/notices/entities.ts';
import { SubjectStateEntity } from './subjects/entities.ts';
import {
  MappingStatementEntity,
  MembershipOfferEntity,
  memberTrigrams,
  TenantEntity,
  TenantLogoEntity,
  TenantMemberEntity,
  tenantTrigrams,
} from './tenants/entities.ts';

export const accessSchema: ServiceSchema = {
  service: 'access',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
    RevocationEntity,
    RevocationHolderEntity,
    TenantEntity,
    TenantLogoEntity,
    TenantMemberEntity,
    MembershipOfferEntity,
    GroupEntity,
    GroupMemberEntity,
    ScimMemberEntity,
    ScimUserEntity,
    ScimNoticeEntity,
    MappingStatementEntity,
    RoleEntity,
    GrantEntity,
    SubjectStateEntity,
    InvitationEntity,
    RateWindowEntity,
    AuditEntryEntity,
    AuditHeadEntity,
    AuditCheckpointEntity,
    DailyCountEntity,
    HourlyCountEntity,
    OperatorLinkEntity,
  ],
  migrations: [
    { name: '029-baseline', class: Baseline },
    { name: '030-revocations', class: Revocations },
    { name: '031-tenant-search', class: TenantSearch },
    { name: '032-audit-target-keys', class: AuditTargetKeys },
    { name: '033-grant-role-list', class: GrantRoleList },
    { name: '034-operator-links', class: OperatorLinks },
    { name: '035-hourly-counts', class: HourlyCounts },
  ],
  baseline: { version: 20, last: '028-mapping-givers' },
  compatibleFrom: 1,
  // The log of revocations is complete.
  settledFrom: 21,
  finishing: [recountTrends],
  trigramIndexes: [tenantTrigrams, memberTrigrams, groupTrigrams, invitationTrigrams],
};
