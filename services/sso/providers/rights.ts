import type { Call } from '@bailiwick/pipeline';
import { assertMayGrant } from '../delegation.ts';
import type { Settable } from './api-record.ts';
import type { ProviderDeps } from './deps.ts';

/**
 * Throws permission_denied unless the caller holds everything that the provider grants to its
 * users: a caller who changes a provider decides who its users are.
 */
export async function assertMayGrantThroughProvider(
  deps: Pick<ProviderDeps, 'admission'>,
  call: Call,
  tenant: string,
  values: Pick<Settable, 'jit' | 'defaultRoles' | 'groupMappings'>,
): Promise<void> {
  const namesIn = (field: 'group' | 'role') =>
    values.groupMappings.map((mapping) => mapping[field]).filter((name) => name !== '');
  const roles = [...new Set([...values.defaultRoles, ...namesIn('role')])];
  const groups = [...new Set(namesIn('group'))];
  const defaultRole = values.jit && values.defaultRoles.length === 0;
  if (roles.length + groups.length > 0 || defaultRole)
    await assertMayGrant(deps, call, tenant, { roles, groups, defaultRole });
}
