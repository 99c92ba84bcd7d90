import type { Readable } from '../parts/audit-sentence.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { useTenantIfAny } from '../shell/routes.tsx';

/** Whose audit the view shows, and which names the user may read in it. */
export type Scope = {
  /** The ID of the tenant; absent in the audit of the platform. */
  tenant: string | undefined;
  readable: Readable;
};

export function useScope(): Scope {
  const tenant = useTenantIfAny();
  const { may } = usePlatformPermissions();
  if (!tenant)
    return { tenant: undefined, readable: { users: may('iam.platform.users.read'), bots: false } };
  const readable = { users: tenant.may('iam.users.read'), bots: tenant.may('iam.bots.read') };
  return { tenant: tenant.ID, readable };
}
