import { holdsInTenant, holdsOnPlatform } from '@bailiwick/call';
import { type Database, onPool } from '@bailiwick/database';
import { denied } from '@bailiwick/errors';
import { type Call } from '@bailiwick/rpc';
import type { Reach } from './queries.ts';
import { reachOf } from './rights.ts';

/**
 * Where the caller sees data of a user, such as groups: everywhere for its own data or with a right
 * on the platform, otherwise in the tenants where it has the permission. A tenant that requires SSO
 * is hidden from a session that did not come from its provider, even for the user's own data.
 * Throws permission_denied if the caller has the permission nowhere.
 */
export async function visibleTo(
  database: Database,
  { allowedBy, caller }: Call,
  permission: string,
): Promise<Reach> {
  if (allowedBy?.kind === 'platform') return { everywhere: true, tenants: [], ssoTenant: null };
  if (allowedBy?.kind === 'self') {
    const { ssoTenant, limitedTo } = caller;
    return limitedTo === ''
      ? { everywhere: true, tenants: [], ssoTenant }
      : { everywhere: false, tenants: [limitedTo], ssoTenant };
  }
  const reach =
    caller.type === 'user'
      ? await reachOf(onPool(database), caller, permission)
      : reachOfToken(caller, permission);
  if (!reach.everywhere && reach.tenants.length === 0) throw denied();
  return reach;
}

// A bot's token is narrowed already, and its tenant is the bot's own.
function reachOfToken(caller: Call['caller'], permission: string): Reach {
  const { tenant } = caller;
  return {
    everywhere: holdsOnPlatform(caller, permission),
    tenants: holdsInTenant(caller, permission, tenant) ? [tenant] : [],
    ssoTenant: null,
  };
}
