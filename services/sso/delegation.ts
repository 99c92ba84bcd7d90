import { escalation } from '@bailiwick/errors';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { type Call } from '@bailiwick/rpc';
import type { Client } from '@connectrpc/connect';

type Deps = { admission: Client<typeof Admission> };

/**
 * Grants that users of a tenant get automatically: roles by slug, groups by path, and the tenant's
 * default role.
 */
export type Granted = { roles: string[]; groups: string[]; defaultRole: boolean };

/**
 * Throws permission_denied unless the caller holds everything that would be granted, and not_found
 * for an unknown role. A bot has grants in its own tenant and on the platform only.
 */
export async function assertMayGrant(
  { admission }: Deps,
  { caller, signal }: Call,
  tenant: string,
  granted: Granted,
): Promise<void> {
  const { lacking } = await admission.mayConfer(
    { ...principalOf(caller), tenant, ...granted },
    { signal },
  );
  if (lacking !== '') throw escalation(lacking);
}

/**
 * Throws permission_denied unless the caller holds these permissions, in a tenant or on the platform
 * ("").
 */
export async function assertMayDelegate(
  { admission }: Deps,
  { caller, signal }: Call,
  tenant: string,
  permissions: readonly string[],
): Promise<void> {
  const { lacking } = await admission.mayDelegate(
    { ...principalOf(caller), tenant, permissions: [...permissions] },
    { signal },
  );
  if (lacking !== '') throw escalation(lacking);
}

const principalOf = (caller: Call['caller']) => ({
  principalType: caller.type,
  principalId: caller.id,
  principalBotTenant: caller.type === 'bot' ? caller.tenant : '',
  principalNarrowedTo: caller.narrowedTo,
  principalLimitedTo: caller.limitedTo,
});
