import { useCall } from './calls.ts';
import { covers } from './permission-rules.ts';

// Permissions that cannot be read again stay as they were: without them a view would go, and with it
// what the user has typed. Each call is checked again.

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
    error: data ? null : error,
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
    error: data ? null : error,
    isOperator: permissions.some((one) => one.startsWith('iam.platform.')),
    may: (permission: string) => covers(permissions, permission),
  };
}
