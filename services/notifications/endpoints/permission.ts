import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { hasPermission, type Permission } from '@bailiwick/proto/permissions.ts';
import { type Caller, holdsInTenant, holdsOnPlatform } from '@bailiwick/shared/caller.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { denied, notFound } from '@bailiwick/shared/errors.ts';
import type { Client } from '@connectrpc/connect';

/**
 * The tenant of the endpoint that an update means. A request that names a tenant was already allowed there or
 * is refused. One that does not is measured in the stored tenant, and whoever has no right there learns nothing.
 */
export async function tenantToUpdate(
  authority: Client<typeof Authority>,
  call: Call,
  permission: Permission,
  named: string,
  findStored: () => Promise<string | undefined>,
): Promise<string> {
  if (named !== '') {
    if (call.allowedBy?.kind !== 'tenant') throw denied();
    return named;
  }
  const stored = await findStored();
  if (stored === undefined || !(await holds(authority, call.caller, permission, stored))) throw notFound('endpoint');
  return stored;
}

async function holds(authority: Client<typeof Authority>, caller: Caller, permission: Permission, tenant: string): Promise<boolean> {
  if (holdsInTenant(caller, permission, tenant)) return true;
  // Without a tenant in the request a bot's token speaks of the bot's own, and in others it holds what it does on the platform.
  if (caller.type === 'bot') return holdsOnPlatform(caller, permission);
  const { permissions } = await authority.effective({ principalType: caller.type, principalId: caller.id, tenant, ssoTenant: caller.ssoTenant });
  return hasPermission(permissions, permission);
}
