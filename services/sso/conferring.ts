import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import type { Client } from '@connectrpc/connect';

/** What people of a tenant are to get without being asked for: roles by their slugs, groups by their paths, and the tenant's default role. */
export type Conferred = { roles: string[]; groups: string[]; defaultRole: boolean };

/**
 * Throws permission_denied unless the caller itself holds all that would be conferred, and not_found for a role that there
 * is not. A bot has grants in its own tenant and on the platform only.
 */
export async function assertMayConfer(
  { admission }: { admission: Client<typeof Admission> },
  { caller, signal }: Call,
  tenant: string,
  conferred: Conferred,
): Promise<void> {
  const principal = {
    principalType: caller.type,
    principalId: caller.id,
    principalBotTenant: caller.type === 'bot' ? caller.tenant : '',
    principalNarrowedTo: caller.narrowedTo,
    principalLimitedTo: caller.limitedTo,
  };
  const { lacking } = await admission.mayConfer({ ...principal, tenant, ...conferred }, { signal });
  if (lacking !== '')
    throw denied(`this would confer ${lacking}, which the caller does not hold`, 'ESCALATION');
}
