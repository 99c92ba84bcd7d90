import { useAll, useCall } from '../parts/calls.ts';
import { useTenant } from '../shell/routes.tsx';

/** The permissions of the service, and those that the tenant's own roles name. */
export function usePermissionNames(): string[] {
  const { ID, may } = useTenant();
  const enabled = may('iam.roles.read');
  const request = { Tenant: ID, Page: { Limit: 200 } };
  const permissions = useCall('Roles_ListPermissions', request, { enabled, staleTime: 60_000 });
  const roles = useAll('Roles_ListByTenant', request, { enabled });
  const own = roles.data?.flatMap(({ Permissions }) => Permissions) ?? [];
  const all = [...own, ...(permissions.data?.Page.Items.map(({ Name }) => Name) ?? [])];
  return [...new Set(all)].filter((name) => name !== '*');
}
