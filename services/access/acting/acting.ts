import { includes, isPlatformOnly } from '@bailiwick/contract';
import type { MayActAsRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Run } from '@bailiwick/store';
import { rightsOf } from '../decisions/rights.ts';
import { ownership } from '../decisions/rights-checks.ts';
import { anySession } from '../decisions/session.ts';
import type { Rights } from '../decisions/values.ts';
import { ownerRole, permissionsOf, platformOwnerRole } from '../permissions/builtin.ts';
import { findHeldRoles, type HeldRole } from './queries.ts';

// A right to act as another user counts as a right to grant all that the user holds, in every tenant
// and on the platform.

/**
 * A permission of a user that the principal may not grant by its rights on the platform; undefined =
 * it may grant all.
 */
export async function findLackingForUser(
  run: Run,
  request: MayActAsRequest,
): Promise<string | undefined> {
  const { userId, principalType: type, principalId: id, principalLimitedTo: limitedTo } = request;
  const principal = {
    type,
    id,
    botTenant: request.principalBotTenant,
    narrowedTo: request.principalNarrowedTo,
    ...anySession(''),
    limitedTo,
    voucher: request.principalVoucher,
  };
  const rights = await rightsOf(run, principal, '');
  const isPlatformOwner =
    type === 'platform' ||
    rights.sources.some(({ role, level }) => level === 'platform' && role === platformOwnerRole);
  const roles = await findHeldRoles(run, userId);
  for (const role of roles) {
    const lacking = lackingFor(role, rights, isPlatformOwner);
    if (lacking !== undefined) return lacking;
  }
  return undefined;
}

function lackingFor(
  { tenant, role, gives }: HeldRole,
  { onPlatform, narrowedTo }: Rights,
  isPlatformOwner: boolean,
): string | undefined {
  const isWithin = (granted: readonly string[], permission: string) =>
    includes(granted, permission) && (narrowedTo.length === 0 || includes(narrowedTo, permission));
  if (tenant === '')
    return permissionsOf(role, 'platform').find((pattern) => !isWithin(onPlatform, pattern));
  // As an owner of the tenant, a platform owner grants the permissions of applications too.
  const grantable = isPlatformOwner ? [...onPlatform, '*'] : onPlatform;
  const permissions = [...permissionsOf(role, 'tenant'), ...(gives ?? [])];
  const lacking = permissions.find(
    (pattern) => !isPlatformOnly(pattern) && !isWithin(grantable, pattern),
  );
  if (lacking !== undefined) return lacking;
  return role === ownerRole && !isPlatformOwner ? ownership : undefined;
}
