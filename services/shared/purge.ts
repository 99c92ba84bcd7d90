import type { Broker } from './broker.ts';
import { followEvents } from './events.ts';
import type { Log } from './log.ts';
import { type Database, type EntityManager, execute, isTenantScoped } from './orm.ts';
import type { Origin } from './outbox.ts';
import type { ServiceSchema } from './migrations.ts';
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
  /** What has to be told of before it goes, in the same transaction. */
  before?: (em: EntityManager, tenant: string, origin: Origin) => Promise<void>;
  /** Called when the rows are gone: what is remembered of the tenant goes too. */
  after?: (tenant: string) => void;
};

/** Removes the rows of tenants that are gone. */
export function followPurges({ schema, database, broker, log, before, after }: Following): Background {
  return () => {
    followEvents(
      { broker, log },
      {
        durable: `${schema.service}-purge`,
        subject: `evt.*.${tenantPurged}`,
        types: [tenantPurged],
        again: repetitionsMs,
        async handle({ tenant, origin }) {
          await database.transaction(tenant, async (em) => {
            await before?.(em, tenant, origin);
            await purgeRows(em, schema, tenant);
          });
          after?.(tenant);
        },
      },
    );
    // Closing the broker waits for what is in hand.
    return () => Promise.resolve();
  };
}

/** Deletes a tenant's rows from all tables that have a tenant, but for those that are `kept`. */
export async function purgeRows(em: EntityManager, { entities }: ServiceSchema, tenant: string, kept: readonly string[] = []): Promise<void> {
  if (tenant === '') throw new Error('the rows of the platform belong to no tenant');
  await em.flush();
  for (const { meta } of entities.filter((one) => isTenantScoped(one) && !kept.includes(one.meta.tableName))) {
    const text = `delete from ${meta.tableName} where ctid = any (array (select ctid from ${meta.tableName} where tenant = $1 limit $2)) returning 1`;
    // In batches, each within the time that the database gives a statement.
    while ((await execute(em, text, [tenant, batch])).length === batch);
  }
}
