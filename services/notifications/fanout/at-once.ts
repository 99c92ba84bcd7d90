import type { FreshRow, InsertRows, OutboxRow } from '@bailiwick/outbox';
import type { FanoutEvent } from './event.ts';
import { type DeliverDeps, deliverTo, receiversOf } from './fanout.ts';
import { type FanoutEndpoint, insertWithEndpoints } from './queries.ts';

/**
 * How many tasks this process makes for one event, and for all events of one statement. If there are
 * more, fan-out makes them, so that the relay does not keep other rows waiting for them.
 */
const maxTasks = { perEvent: 100, together: 1000 };

/**
 * Inserts the rows of application events together with a look at the endpoints of their tenants, so
 * that this process publishes the tasks right after the event. They are the tasks of fan-out, with
 * its ids: where both make them, the broker drops the second. If the process ends first, or a task
 * is not stored, the row is published from the table, and fan-out makes them.
 */
export const insertWithTasks =
  (deps: DeliverDeps): InsertRows =>
  async (run, rows) => {
    const endpoints = await insertWithEndpoints(run, rows);
    const deliveries = rows.map((row) => deliveryOf(row, endpoints.get(row.forTenant) ?? []));
    const count = deliveries.reduce((total, { receivers }) => total + receivers.length, 0);
    return deliveries.map(({ row, event, receivers }): FreshRow => {
      if (!event || receivers.length > maxTasks.perEvent || count > maxTasks.together) return row;
      return {
        ...row,
        makeTasks: (isFirst) =>
          deliverTo(deps, { event, tenant: event.tenant, isFirst }, receivers),
      };
    });
  };

type Delivery = {
  row: OutboxRow;
  event: FanoutEvent | undefined;
  receivers: readonly FanoutEndpoint[];
};

function deliveryOf(row: OutboxRow, endpoints: readonly FanoutEndpoint[]): Delivery {
  const { id, type, forTenant: tenant, createdAt, event: text } = row;
  if (text === null || tenant === '') return { row, event: undefined, receivers: [] };
  // Nothing in the data of an application's event decides about its receivers.
  const subject = { subject: '', email: '', formerTenants: [] };
  const event = { id, type, tenant, timestamp: createdAt.toISOString(), text, ...subject };
  return { row, event, receivers: receiversOf(event, endpoints) };
}
