import { useCall } from '../parts/calls.ts';
import { useTenant } from '../shell/routes.tsx';

// The answers behind the figures of a tenant. The views that share one load it once.

export const fresh = { staleTime: 60_000 };

/** The counts of access. */
export function useCounts(isEnabled = true) {
  const { ID } = useTenant();
  return useCall('Tenants_GetCounts', { Tenant: ID }, { ...fresh, enabled: isEnabled });
}

/** The counts of bots. */
export function useBotCounts(isEnabled = true) {
  const { ID } = useTenant();
  return useCall('Bots_GetCounts', { Tenant: ID }, { ...fresh, enabled: isEnabled });
}

/** The endpoints of an area and their deliveries. */
export function useStats(area: 'Webhooks' | 'Chat', isEnabled = true) {
  const { ID } = useTenant();
  return useCall(`${area}_GetStats`, { Tenant: ID }, { ...fresh, enabled: isEnabled });
}

// A tenant has at most 100 apps, domains, providers and endpoints, so one page has them all.
const allOnOnePage = { Limit: 200 };

export function useApps(isEnabled = true) {
  const { ID } = useTenant();
  const request = { Tenant: ID, Page: allOnOnePage };
  return useCall('Apps_List', request, { ...fresh, enabled: isEnabled });
}

export function useDomains(isEnabled = true) {
  const { ID } = useTenant();
  const request = { Tenant: ID, Page: allOnOnePage };
  return useCall('Domain_List', request, { ...fresh, enabled: isEnabled });
}

export function useProviders(isEnabled = true) {
  const { ID } = useTenant();
  const request = { Tenant: ID, Page: allOnOnePage };
  return useCall('Sso_ListProviders', request, { ...fresh, enabled: isEnabled });
}

export function useEndpoints(area: 'Webhooks' | 'Chat', isEnabled: boolean) {
  const { ID } = useTenant();
  const request = { Tenant: ID, Page: allOnOnePage };
  return useCall(`${area}_ListEndpoints`, request, { ...fresh, enabled: isEnabled });
}
