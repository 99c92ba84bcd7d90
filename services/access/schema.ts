import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import { RateWindowEntity, type ServiceSchema } from '@bailiwick/store';
import { AuditCheckpointEntity, AuditEntryEntity, AuditHeadEntity } from './audit/entities.ts';
import { DailyCountEntity } from './counts/entities.ts';
import { GrantEntity } from './grants/entities.ts';
import { GroupEntity, GroupMemberEntity, ScimMemberEntity } from './groups/entities.ts';
import { InvitationEntity } from './invitations/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { Roles } from './migrations/002-roles.ts';
import { Invitations } from './migrations/003-invitations.ts';
import { Deletion } from './migrations/004-deletion.ts';
import { Audit } from './migrations/005-audit.ts';
import { Admission } from './migrations/006-admission.ts';
import { Membership } from './migrations/008-membership.ts';
import { Idempotency } from './migrations/011-idempotency.ts';
import { Branding } from './migrations/012-branding.ts';
import { AuditSearch } from './migrations/015-audit-search.ts';
import { Search } from './migrations/016-search.ts';
import { Counts } from './migrations/017-counts.ts';
import { Scim } from './migrations/018-scim.ts';
import { ScimGroups } from './migrations/019-scim-groups.ts';
import { Makers } from './migrations/020-makers.ts';
import { Ownership } from './migrations/021-ownership.ts';
import { LimitsOfGivers } from './migrations/022-limits-of-givers.ts';
import { ScimNotices } from './migrations/023-scim-notices.ts';
import { MappingStatements } from './migrations/024-mapping-statements.ts';
import { MappingGivers } from './migrations/028-mapping-givers.ts';
import { ScimUserEntity } from './provisioned/entities.ts';
import { RoleEntity } from './roles/entities.ts';
import { ScimNoticeEntity } from './scim/notices/entities.ts';
import { SubjectStateEntity } from './subjects/entities.ts';
import {
  MappingStatementEntity,
  MembershipOfferEntity,
  TenantEntity,
  TenantLogoEntity,
  TenantMemberEntity,
} from './tenants/entities.ts';

export const accessSchema: ServiceSchema = {
  service: 'access',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
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
  ],
  migrations: [
    { name: '001-initial', class: Initial },
    { name: '002-roles', class: Roles },
    { name: '003-invitations', class: Invitations },
    { name: '004-deletion', class: Deletion },
    { name: '005-audit', class: Audit },
    { name: '006-admission', class: Admission },
    { name: '008-membership', class: Membership },
    { name: '011-idempotency', class: Idempotency },
    { name: '012-branding', class: Branding },
    { name: '015-audit-search', class: AuditSearch },
    { name: '016-search', class: Search },
    { name: '017-counts', class: Counts },
    { name: '018-scim', class: Scim },
    { name: '019-scim-groups', class: ScimGroups },
    { name: '020-makers', class: Makers },
    { name: '021-ownership', class: Ownership },
    { name: '022-limits-of-givers', class: LimitsOfGivers },
    { name: '023-scim-notices', class: ScimNotices },
    { name: '024-mapping-statements', class: MappingStatements },
    { name: '028-mapping-givers', class: MappingGivers },
  ],
  compatibleFrom: 1,
};
