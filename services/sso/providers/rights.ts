import type { Call } from '@bailiwick/shared/dispatch.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import type { ProviderDeps } from './deps.ts';
import type { Settable } from './values.ts';

/**
 * Throws permission_denied unless the caller itself holds all that the provider gives to those who sign in through it: whoever
 * changes a provider decides who that is. A bot has grants in its own tenant and on the platform only.
 */
export async function assertMayGive(
  { admission }: Pick<ProviderDeps, 'admission'>,
  { caller, signal }: Call,
  tenant: string,
  values: Pick<Settable, 'jit' | 'defaultRoles' | 'groupMappings'>,
): Promise<void> {
  const named = (field: 'group' | 'role') => values.groupMappings.map((mapping) => mapping[field]).filter((name) => name !== '');
  const roles = [...new Set([...values.defaultRoles, ...named('role')])];
  const groups = [...new Set(named('group'))];
  const defaultRole = values.jit && values.defaultRoles.length === 0;
  if (roles.length + groups.length === 0 && !defaultRole) return;
  const { lacking } = await admission.mayConfer(
    {
      principalType: caller.type,
      principalId: caller.id,
      principalBotTenant: caller.type === 'bot' ? caller.tenant : '',
      principalNarrowedTo: caller.narrowedTo,
      tenant,
      roles,
      groups,
      defaultRole,
    },
    { signal },
  );
  if (lacking !== '') throw denied(`this would confer ${lacking}, which the caller does not hold`, 'ESCALATION');
}
