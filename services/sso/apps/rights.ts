import { accountScope } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import { assertMayDelegate } from '../delegation.ts';
import type { AppDeps } from './deps.ts';
import { identityScopes } from './scopes.ts';

/** An app of the platform with the scope `account` may change the accounts of platform owners. */
const allOfPlatform = 'iam.platform.*';

/**
 * Throws permission_denied unless the caller holds every permission in the app's scopes: a caller
 * who knows the app's secret or chooses its addresses gets the tokens of its users.
 */
export async function assertMayUse(
  deps: Pick<AppDeps, 'admission'>,
  call: Call,
  { tenant, scopes }: { tenant: string; scopes: readonly string[] },
): Promise<void> {
  // In an app of a tenant, `account` only opens operations that read.
  const account = scopes.includes(accountScope) && tenant === '' ? [allOfPlatform] : [];
  const permissions = scopes
    .filter((scope) => !identityScopes.includes(scope) && scope !== accountScope)
    .concat(account);
  if (permissions.length > 0) await assertMayDelegate(deps, call, tenant, permissions);
}
