import { usePlatformPermissions } from '../parts/permissions.ts';
import { useTenantIfAny } from './routes.tsx';

/** Whose records a view shows: those of a tenant, or those of the platform. */
export type Owner = {
  /** The part of a request that names the owner; the platform has none. */
  scope: { Tenant?: string };
  /** The name of the tenant; '' = the platform. */
  name: string;
  /** The address that the owner's views are below. */
  at: string;
  /** Whether the user may do what ends with this, such as `apps.write`. */
  may: (permission: string) => boolean;
};

/** The owner that the view's address names. */
export function useOwner(): Owner {
  const tenant = useTenantIfAny();
  const platform = usePlatformPermissions();
  if (tenant)
    return {
      scope: { Tenant: tenant.ID },
      name: tenant.Name,
      at: `/console/t/${tenant.Slug}`,
      may: (permission) => tenant.may(`iam.${permission}`),
    };
  return {
    scope: {},
    name: '',
    at: '/console/platform',
    may: (permission) => platform.may(`iam.platform.${permission}`),
  };
}
