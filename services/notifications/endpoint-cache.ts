import { type Broker, createRightsCache, type Revoke, type RightsCache } from '@bailiwick/broker';
import { type Background, followPurges } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { type Database, renewHolder } from '@bailiwick/store';
import { notificationsSchema } from './schema.ts';
import { purgeEndpoints } from './webhooks/queries.ts';

// The cache of the endpoints of deliveries (webhooks/targets.ts), which only this service's own
// changes revoke, and its end with a tenant.

export const createEndpointCache = (database: Database, broker: Broker): RightsCache =>
  createRightsCache(
    broker,
    { notifications: (renewal) => renewHolder(database, notificationsSchema, renewal) },
    // A change of an endpoint in a process of the previous version revokes nothing.
    { isCounted: false, holdsSecrets: true, incompleteMs: 0 },
  );

type PurgeDeps = {
  database: Database;
  broker: Broker;
  log: Log;
  /** Drops a tenant's data keys from the caches of all processes. */
  forget: (tenant: string) => void;
  revoke: Revoke;
};

/** Deletes the rows of purged tenants, and what processes have cached of them. */
export const followTenantPurges = (deps: PurgeDeps): Background =>
  followPurges({
    ...deps,
    schema: notificationsSchema,
    before: purgeEndpoints,
    after(tenant, keys) {
      deps.forget(tenant);
      // A process without deliveries holds endpoints too, and does not follow the log.
      if (keys.length > 0) void deps.revoke(keys).catch(() => {});
    },
  });
