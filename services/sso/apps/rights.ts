import { type Call } from '@bailiwick/rpc';
import { assertMayDelegate } from '../delegation.ts';
import type { AppDeps } from './deps.ts';

/** The scopes that OpenID Connect defines, and our own for groups. All others are permissions. */
const standardScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'offline_access',
  'groups',
]);

/**
 * Throws permission_denied unless the caller holds every permission in the app's scopes: a caller
 * who knows the app's secret or chooses its addresses gets the tokens of its users.
 */
export async function assertMayUse(
  deps: Pick<AppDeps, 'admission'>,
  call: Call,
  { tenant, scopes }: { tenant: string; scopes: readonly string[] },
): Promise<void> {
  const permissions = scopes.filter((scope) => !standardScopes.has(scope));
  if (permissions.length > 0) await assertMayDelegate(deps, call, tenant, permissions);
}
