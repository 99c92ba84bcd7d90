import { type Broker } from '@bailiwick/broker';
import type { Origin, RightsKey } from '@bailiwick/contract';
import { followEvents } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import {
  type Database,
  isTenantScoped,
  purgeCounts,
  type ServiceSchema,
  type Transaction,
} from '@bailiwick/store';
import type { Background } from './repeat.ts';

// When a deleted tenant's grace period is over, each service deletes the tenant's rows from all its
// tables.

/** The event with which access announces that a tenant is purged. */
export const tenantPurged = 'tenant.purged';

/** Repetitions: a call or delivery in progress may write rows after the first run. */
const repetitionsMs = [10_000, 60_000];

const batch = 10_000;

type Following = {
  schema: ServiceSchema;
  database: Database;
  broker: Broker;
  log: Log;
  /** Runs before the deletion, to record events. */
  before?: (tx: Transaction, tenant: string, origin: Origin) => Promise<void>;
  /** Called after the deletion, to clear caches. `keys`: those that `before` has revoked. */
  after?: (tenant: string, keys: readonly RightsKey[]) => void;
};

/** Deletes the rows of purged tenants. */
export function followPurges({
  schema,
  database,
  broker,
  log,
  before,
  after,
}: Following): Background {
  return () => {
    followEvents(
      { broker, log },
      {
        durable: `${schema.service}-purge`,
        subject: `evt.*.${tenantPurged}`,
        types: [tenantPurged],
        again: repetitionsMs,
        lasting: true,
        async handle({ tenant, origin }) {
          const keys = await database.transaction({ call: origin, tenant }, async (tx) => {
            await before?.(tx, tenant, origin);
            return [...tx.revokes];
          });
          // A transaction for each batch: a later batch in the same transaction would scan all rows
          // that were deleted before.
          for (const table of tablesOfTenants(schema))
            while (
              await database.transaction({ call: origin, tenant }, (tx) =>
                purgeBatch(tx, table, tenant),
              )
            );
          await database.transaction({ call: origin, tenant }, (tx) => purgeCounts(tx, tenant));
          after?.(tenant, keys);
        },
      },
    );
    // Closing the broker waits for messages in hand.
    return () => Promise.resolve();
  };
}

/** The tables whose rows belong to tenants, except those in `except`. */
export const tablesOfTenants = (
  { entities }: ServiceSchema,
  except: readonly string[] = [],
): string[] =>
  entities
    .filter((one) => isTenantScoped(one) && !except.includes(one.meta.tableName))
    .map(({ meta }) => meta.tableName);

/**
 * Deletes a batch of a tenant's rows, within the statement timeout. Returns whether there may be
 * more.
 */
export async function purgeBatch(tx: Transaction, table: string, tenant: string): Promise<boolean> {
  if (tenant === '') throw new Error('the rows of the platform belong to no tenant');
  const text = `delete from ${table} where ctid = any (array (select ctid from ${table} where tenant = $1 limit $2)) returning 1`;
  return (await tx.query(text, [tenant, batch])).length === batch;
}
