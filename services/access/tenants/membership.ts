import { TenantMemberSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { encodeJson } from '@bailiwick/proto/json/encode.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { type Origin, recordChange } from '@bailiwick/shared/outbox.ts';
import { removeGrantsOf } from '../grants/entries.ts';
import { TenantMemberEntity, type TenantMemberRow, toTenantMember } from './entities.ts';
import { removeMemberships } from './queries.ts';

type Cause = Origin & Partial<Pick<Call, 'outdated'>>;

/** Ends a membership with its groups and grants. */
export async function endMembership(
  em: EntityManager,
  cause: Cause,
  member: TenantMemberRow,
): Promise<void> {
  const { tenant, userId } = member;
  // The row goes first: whoever adds the user to a group meanwhile waits for it and then finds no member.
  await em.nativeDelete(TenantMemberEntity, { tenant, userId });
  await removeMemberships(inTransaction(em), tenant, userId);
  await removeGrantsOf(em, tenant, 'user', userId);
  recordMembership(em, cause, 'tenant.member_removed', member);
}

export function recordMembership(
  em: EntityManager,
  cause: Cause,
  type: string,
  member: TenantMemberRow,
): void {
  cause.outdated?.add(`user:${member.userId}`);
  recordChange(em, cause, {
    tenant: member.tenant,
    type,
    data: encodeJson(TenantMemberSchema, toTenantMember(member)),
    targets: [{ Type: 'user', ID: member.userId, Name: '' }],
  });
}
