import { useCall } from '../parts/calls.ts';

export type RolesOf = (user: string) => readonly string[];

/**
 * The roles that are granted to each user directly. `of` is undefined if there are more grants than
 * one page: a wrong list of roles is worse than none.
 */
export function useRoles(tenant: string, isAllowed: boolean) {
  const { data, error } = useCall(
    'Grants_ListByTenant',
    { Tenant: tenant, Page: { Limit: 200 } },
    { enabled: isAllowed },
  );
  if (data?.Page.NextCursor !== '') return { error, of: undefined };
  const roles = Map.groupBy(data.Page.Items, ({ UserID }) => UserID);
  const of: RolesOf = (user) => [...new Set(roles.get(user)?.map(({ Role }) => Role))].sort();
  return { error, of };
}
