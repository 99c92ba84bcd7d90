import { useCall } from '../parts/calls.ts';
import { useTenant } from '../shell/routes.tsx';

/** The permissions of the service, and those that the tenant's own roles name. */
export function usePermissionNames(): string[] {
  const { ID, may } = useTenant();
  const options = { enabled: may('iam.roles.read'), staleTime: 60_000 };
  const request = { Tenant: ID, Page: { Limit: 200 } };
  const known = useCall('Roles_ListPermissions', request, options);
  const roles = useCall('Roles_ListByTenant', request, options);
  const own = roles.data?.Page.Items.flatMap(({ Permissions }) => Permissions) ?? [];
  const all = [...own, ...(known.data?.Page.Items.map(({ Name }) => Name) ?? [])];
  return [...new Set(all)].filter((name) => name !== '*');
}
