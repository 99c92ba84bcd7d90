import { type Caller, holdsInTenant, type Permission, sessionProof } from '@bailiwick/contract';
import { denied, notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';

/**
 * The tenant of the endpoint to update, and the call with the grant that allows it. A request that
 * names a tenant was already authorized there, or is denied. A request without one is authorized in
 * the stored tenant; a caller without rights there gets not_found, as for a missing endpoint.
 */
export async function allowUpdate(
  authority: PeerClient<typeof Authority>,
  call: Call,
  permission: Permission,
  named: string,
  findStored: () => Promise<string | undefined>,
): Promise<{ tenant: string; allowed: Call }> {
  if (named !== '') {
    if (call.allowedBy?.kind !== 'tenant') throw denied();
    return { tenant: named, allowed: call };
  }
  const tenant = await findStored();
  if (tenant === undefined) throw notFound('endpoint');
  const caller = await callerIn(authority, call, tenant);
  if (!holdsInTenant(caller, permission, tenant)) throw notFound('endpoint');
  return { tenant, allowed: { ...call, caller, permission } };
}

/**
 * The caller with its rights in a tenant. If the request names no tenant, a user's token carries
 * the rights of its only tenant, and a bot's those of the bot's tenant.
 */
async function callerIn(
  authority: PeerClient<typeof Authority>,
  call: Call,
  tenant: string,
): Promise<Caller> {
  const { caller } = call;
  if (caller.tenant === tenant) return caller;
  const { type: principalType, id: principalId, narrowedTo } = caller;
  const botTenant = principalType === 'bot' ? caller.tenant : '';
  const { permissions, grants } = await authority.effective(
    {
      principalType,
      principalId,
      tenant,
      botTenant,
      narrowedTo,
      ...sessionProof(caller),
    },
    call,
  );
  return { ...caller, tenant, permissions, grants };
}
