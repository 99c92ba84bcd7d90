import { createCache } from '@bailiwick/shared/cache.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { findGate, type Gate } from './queries.ts';

/** So long a pause that another process began may be overlooked. */
const lifetimeMs = 2000;

export type Gates = ReturnType<typeof createGates>;

/** What decides whether endpoints may be sent to, looked up once in a while. */
export function createGates(database: Database) {
  const cache = createCache<Gate>({ size: 10_000, lifetimeMs });
  const keyOf = (tenant: string, endpoint: string) => `${tenant}/${endpoint}`;
  return {
    of: (tenant: string, endpoint: string): Promise<Gate> =>
      cache.get(keyOf(tenant, endpoint), () => findGate(database, tenant, endpoint)),
    /** Looks it up anew the next time: this process has changed it. */
    forget: (tenant: string, endpoint: string): void => cache.forget(keyOf(tenant, endpoint)),
  };
}
