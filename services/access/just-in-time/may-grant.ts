import { notFound } from '@bailiwick/errors';
import type {
  MayConferRequest,
  MayConferResponseSchema,
  MayDelegateRequest,
  MayDelegateResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { type Database, onPool } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { findEnding, findLacking } from '../decisions/delegation.ts';
import { anySession } from '../decisions/session.ts';
import { pathKey } from '../groups/path.ts';
import { findGroup, findGroupRoles } from '../groups/queries.ts';
import { isTenantRole, memberRole } from '../permissions/builtin.ts';
import { findRole } from '../roles/queries.ts';
import { findTenant } from '../tenants/queries.ts';

/**
 * A permission, of the roles and groups in the request, that the principal may not grant, or when
 * its right to grant them ends.
 */
export async function mayGrantRoles(
  database: Database,
  request: MayConferRequest,
): Promise<MessageInitShape<typeof MayConferResponseSchema>> {
  const {
    principalType: type,
    principalId: id,
    principalBotTenant,
    principalNarrowedTo: narrowedTo,
    principalLimitedTo: limitedTo,
    principalVoucher: voucher,
    tenant,
  } = request;
  const run = onPool(database);
  const roles = new Set(request.roles);
  if (request.defaultRole)
    roles.add((await findTenant(database, tenant))?.settings.defaultRole || memberRole);
  for (const role of request.roles)
    if (!isTenantRole(role) && !(await findRole(database, tenant, role))) throw notFound('role');
  for (const path of request.groups) {
    const group = await findGroup(database, tenant, pathKey(path));
    if (!group) throw notFound('group');
    for (const role of await findGroupRoles(run, tenant, group.id)) roles.add(role);
  }
  // sso has checked the rights of the caller's session. This compares the granted permissions only.
  const session = { ...anySession(tenant), limitedTo, voucher };
  const principal = { type, id, tenant: principalBotTenant, narrowedTo, ...session };
  const delegation = { roles: [...roles] };
  const lacking = await findLacking(run, principal, tenant, delegation);
  if (lacking !== undefined) return { lacking };
  const ending = await findEnding(run, principal, tenant, delegation);
  if (!ending) return { lacking: '' };
  return { lacking: '', ending: ending.permission, endsAt: timestampFromDate(ending.endsAt) };
}

/**
 * One of these permissions that the principal may not give to an app, or when its right to give them
 * ends. On the platform, no principal holds permissions of applications: a caller that may save an app
 * there may give it any of them.
 */
export async function mayDelegate(
  database: Database,
  request: MayDelegateRequest,
): Promise<MessageInitShape<typeof MayDelegateResponseSchema>> {
  const { tenant } = request;
  const run = onPool(database);
  const principal = {
    type: request.principalType,
    id: request.principalId,
    tenant: request.principalBotTenant,
    narrowedTo: request.principalNarrowedTo,
    ...anySession(tenant),
    limitedTo: request.principalLimitedTo,
    voucher: request.principalVoucher,
  };
  const permissions = tenant === '' ? ofOurOwn(request.permissions) : request.permissions;
  const delegation = { roles: [], permissions };
  const lacking = await findLacking(run, principal, tenant, delegation);
  if (lacking !== undefined) return { lacking };
  const ending = await findEnding(run, principal, tenant, delegation);
  return { lacking: '', ...(ending && { endsAt: timestampFromDate(ending.endsAt) }) };
}

/** The permissions of Bailiwick itself among these. `*` includes them as `iam.*` does. */
const ofOurOwn = (permissions: readonly string[]): string[] =>
  permissions
    .map((permission) => (permission === '*' ? 'iam.*' : permission))
    .filter((permission) => permission.startsWith('iam.'));
