import type { Broker } from './broker.ts';
import { followEvents } from './events.ts';
import { purgeCounts } from './limits.ts';
import type { Log } from './log.ts';
import type { ServiceSchema } from './migrations.ts';
import { type Database, type EntityManager, execute, isTenantScoped } from './orm.ts';
import type { Origin } from './outbox.ts';
import type { Background } from './service.ts';

// A tenant whose grace is over is removed by each service for itself, from all of its tables.

/** The event by which access tells that a tenant is gone. */
export const tenantPurged = 'tenant.purged';

/** A call or delivery that was in hand at the first time may have written after it. */
const repetitionsMs = [10_000, 60_000];

const batch = 10_000;

type Following = {
  schema: ServiceSchema;
  database: Database;
  broker: Broker;
  log: Log;
  /** What has to be told of before it goes. */
  before?: (em: EntityManager, tenant: string, origin: Origin) => Promise<void>;
  /** Called when the rows are gone: what is remembered of the tenant goes too. */
  after?: (tenant: string) => void;
};

/** Removes the rows of tenants that are gone. */
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
          if (before) await database.transaction(tenant, (em) => before(em, tenant, origin));
          // A transaction each: within one, each batch would read past all that were deleted before it.
          for (const table of tablesOfTenants(schema))
            while (await database.transaction(tenant, (em) => purgeBatch(em, table, tenant)));
          await database.transaction(tenant, (em) => purgeCounts(em, tenant));
          after?.(tenant);
        },
      },
    );
    // Closing the broker waits for what is in hand.
    return () => Promise.resolve();
  };
}

/** The tables whose rows belong to tenants, but for those that are `kept`. */
export const tablesOfTenants = (
  { entities }: ServiceSchema,
  kept: readonly string[] = [],
): string[] =>
  entities
    .filter((one) => isTenantScoped(one) && !kept.includes(one.meta.tableName))
    .map(({ meta }) => meta.tableName);

/** Deletes some of a tenant's rows, as many as the database does in the time that it gives a statement. Whether there may be more. */
export async function purgeBatch(
  em: EntityManager,
  table: string,
  tenant: string,
): Promise<boolean> {
  if (tenant === '') throw new Error('the rows of the platform belong to no tenant');
  const text = `delete from ${table} where ctid = any (array (select ctid from ${table} where tenant = $1 limit $2)) returning 1`;
  return (await execute(em, text, [tenant, batch])).length === batch;
}
