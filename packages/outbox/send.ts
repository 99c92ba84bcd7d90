import type { Broker } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { continueTrace } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { type FreshRow, type Handover, isOwn } from './handover.ts';
import type { Marks } from './marks.ts';
import { mark, type Waiting, waitingRows } from './queries.ts';
import { streamMessage } from './row.ts';
import { firstPublicationHeader, publishTask, tasksMadeHeader } from './tasks.ts';

// Sends rows of an outbox to the broker.

/** Rows that are sent at once. */
export const batch = 100;

export type SendResult = { id: string; seq?: number; error?: unknown };

/**
 * Publishes the oldest rows and marks the ones that the broker has stored. `includesRecent`: also
 * rows that another process may hold in its memory.
 */
export function sendBatch(
  { database, broker }: { database: Database; broker: Broker },
  includesRecent: boolean,
  skipped: readonly string[],
): Promise<SendResult[]> {
  const scope = { call: serviceOrigin(database.service), tenant: null };
  return database.transaction(scope, async (tx) => {
    const rows = await tx.query(waitingRows, [batch, skipped, includesRecent]);
    // Sent in order, without waiting for each other. A failed row is sent again, and the broker
    // drops the duplicate.
    const results = await Promise.all(
      rows.map((row) => continueTrace(row.traceparent, () => send(broker, row))),
    );
    const published = publishedOf(results);
    if (published.length > 0) await tx.query(mark, [JSON.stringify(published)]);
    return results;
  });
}

/**
 * Publishes the rows that this process has just committed, except `skipped`. One that fails stays
 * unmarked: it is published from the table. `hasMore`: the table has more rows of this process.
 */
export async function sendFresh(
  { handover, broker, marks }: { handover: Handover; broker: Broker; marks: Marks },
  skipped: ReadonlySet<string>,
): Promise<{ published: number; hasMore: boolean }> {
  const { rows: fresh, hasMore } = handover.take();
  const rows = fresh.filter(({ id }) => !skipped.has(id));
  let published = 0;
  // Each row may have many tasks. While the broker refuses rows, the others stay in the table.
  for (let at = 0; at < rows.length && published === at; at += batch) {
    const some = rows.slice(at, at + batch);
    const positions = publishedOf(await Promise.all(some.map((row) => sendRow(broker, row))));
    marks.add(positions);
    published += positions.length;
  }
  return { published, hasMore: hasMore || published < rows.length };
}

const sendRow = (broker: Broker, row: FreshRow) =>
  continueTrace(row.traceparent, () =>
    send(broker, { ...row, for_tenant: row.forTenant, tasks: [], stream_seq: null }, row),
  );

export const publishedOf = (results: readonly SendResult[]) =>
  results.flatMap(({ id, seq }) => (seq === undefined ? [] : [{ id, seq }]));

/**
 * Publishes a row and returns its result: a failed row must not make the others be sent again.
 * `fresh`: the row in the memory of this process, which publishes it once.
 */
const send = (broker: Broker, row: Waiting, fresh?: FreshRow): Promise<SendResult> =>
  publishRow(broker, row, fresh).then(
    (seq) => ({ id: row.id, seq }),
    (error: unknown) => ({ id: row.id, error }),
  );

async function publishRow(
  broker: Broker,
  { id, for_tenant: tenant, type, event, audit, tasks, stream_seq: before }: Waiting,
  fresh: FreshRow | undefined,
): Promise<number> {
  const subject = `evt.${tenant || '_'}.${type || 'audit'}`;
  const body = streamMessage(event, audit);
  if (fresh?.makeTasks) {
    const connection = broker.connections();
    // A message id of its own: if the tasks fail, the row is published from the table, and the
    // stream would drop that event, for which fan-out makes the tasks, as a duplicate.
    const headers = { [tasksMadeHeader]: 'true' };
    const sequence = await broker.publish(subject, body, `${id}:tasks`, headers);
    // The answer may have taken long enough for another replica to publish the row, or the broker
    // may have started again.
    await fresh.makeTasks(isOwn(fresh) && broker.connections() === connection);
    return sequence;
  }
  // A new message id: if only tasks were lost, the stream still has the event and would drop it as
  // a duplicate.
  const message = before === null ? id : `${id}:${before}`;
  const headers = fresh !== undefined && isOwn(fresh) ? { [firstPublicationHeader]: 'true' } : {};
  const sequence = await broker.publish(subject, body, message, headers);
  for (const task of tasks) await publishTask(broker, task, { tenant, event: id });
  return sequence;
}
