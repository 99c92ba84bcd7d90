import { holdsInTenant, holdsOnPlatform } from '@bailiwick/shared/caller.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import { type Database, onPool } from '@bailiwick/shared/orm.ts';
import type { Reach } from './queries.ts';
import { reachOf } from './rights.ts';

/**
 * Where the caller sees what belongs to a user, such as its groups: everywhere its own and those of the platform,
 * else in the tenants where it holds the permission. A tenant that requires single sign-on shows a session that came
 * another way nothing, its owner's own neither. Throws permission_denied where it holds it nowhere.
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

// What a bot's key is narrowed to is in its token already, and the one tenant in it is the bot's own.
function reachOfToken(caller: Call['caller'], permission: string): Reach {
  const { tenant } = caller;
  return {
    everywhere: holdsOnPlatform(caller, permission),
    tenants: holdsInTenant(caller, permission, tenant) ? [tenant] : [],
    ssoTenant: null,
  };
}
