import { holdsInTenant, holdsOnPlatform, sessionProof } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import { type Database, onPool } from '@bailiwick/store';
import { reachOf, rightsOf } from './rights.ts';
import { noSession, type Reach } from './session.ts';

/**
 * Where the caller sees data of a user, such as groups: everywhere for its own data or with a right
 * on the platform, otherwise in the tenants where it has the permission. A tenant that requires SSO
 * or a second factor is hidden from a session without it, even for the user's own data.
 * Throws permission_denied if the caller has the permission nowhere.
 */
export async function visibleTo(
  database: Database,
  { allowedBy, caller }: Call,
  permission: string,
): Promise<Reach> {
  if (allowedBy?.kind === 'platform') return { everywhere: true, tenants: [], ...noSession };
  if (allowedBy?.kind === 'self') {
    const { limitedTo, operator: _operator, ...proof } = sessionProof(caller);
    if (limitedTo === '') return { everywhere: true, tenants: [], ...proof };
    const { refusal } = await rightsOf(onPool(database), caller, limitedTo);
    const isHidden = ['method_refused', 'sso_required', 'factor_required'].includes(refusal);
    const tenants = isHidden ? [] : [limitedTo];
    return { everywhere: false, tenants, ...proof };
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
    ...noSession,
  };
}
