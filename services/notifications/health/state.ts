import { createCache } from '@bailiwick/broker';
import type { Database } from '@bailiwick/store';
import { type EndpointState, findEndpointState } from './queries.ts';

/** How late a process may notice a pause that another process began. */
const lifetimeMs = 2000;

export type EndpointStates = ReturnType<typeof createEndpointStates>;

/** A short-lived cache of the endpoint states that decide whether a delivery may be sent now. */
export function createEndpointStates(database: Database) {
  const cache = createCache<EndpointState>({ size: 10_000, lifetimeMs });
  const keyOf = (tenant: string, endpoint: string) => `${tenant}/${endpoint}`;
  return {
    get: (tenant: string, endpoint: string): Promise<EndpointState> =>
      cache.getOrLoad(keyOf(tenant, endpoint), () => findEndpointState(database, tenant, endpoint)),
    /** Reloads the state on the next use, after this process has changed it. */
    invalidate: (tenant: string, endpoint: string): void => cache.forget(keyOf(tenant, endpoint)),
  };
}
