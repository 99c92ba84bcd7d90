import { useCall } from './calls.ts';
import { covers } from './permission-rules.ts';

/** The user's permissions in a tenant, which are asked for once a minute at most. */
export function usePermissions(tenant: string) {
  const { data, isPending, error } = useCall(
    'Access_ListPermissions',
    { Tenant: tenant },
    { enabled: tenant !== '', staleTime: 60_000 },
  );
  const permissions = data?.Permissions ?? [];
  return {
    isPending,
    isKnown: data !== undefined,
    error,
    may: (permission: string) => covers(permissions, permission),
  };
}

/** The user's permissions on the platform. */
export function usePlatformPermissions() {
  const { data, isPending, error } = useCall(
    'Access_ListPermissions',
    { Platform: true },
    { staleTime: 60_000 },
  );
  const permissions = data?.Permissions ?? [];
  return {
    isPending,
    error,
    isOperator: permissions.some((one) => one.startsWith('iam.platform.')),
    may: (permission: string) => covers(permissions, permission),
  };
}
