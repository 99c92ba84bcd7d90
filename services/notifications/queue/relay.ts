import type { Broker } from '@bailiwick/shared/broker.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database, EntityManager } from '@bailiwick/shared/orm.ts';
import { publishTask, type Task, type TaskOperation } from '@bailiwick/shared/tasks.ts';
import { continueTrace } from '@bailiwick/shared/trace.ts';
import { deleteOld, markQueued, postpone, takeDue, type WaitingRow } from './queries.ts';
import type { Store } from './store.ts';

export type RelayDeps = { database: Database; broker: Broker; store: Store; log: Log };

const batch = 50;
const intervalMs = 250;
const cleanEveryMs = 3_600_000;

/** Publishes what is due in these lanes, and forgets what is old. Any number of processes may run it. */
export function startDueRelay({ database, broker, store, log }: RelayDeps, lanes: readonly string[]): () => Promise<void> {
  let stopped = false;
  let wake = () => {};
  let nextClean = Date.now() + 60_000;

  async function publish(em: EntityManager, row: WaitingRow): Promise<void> {
    const request = await store.openRequest(row).catch((error: unknown) => {
      log.error('a waiting task cannot be opened and is put off', { task: row.task, error });
    });
    if (!request) return postpone(em, row.task);
    const { task: id, operation, extra, traceparent, tenant, event, attempt, enqueuedAt } = row;
    const task: Task = { id, operation: operation as TaskOperation, request, extra };
    await continueTrace(traceparent, () => publishTask(broker, task, { tenant, event, attempt, enqueued: new Date(enqueuedAt).toISOString() }));
    await markQueued(em, id);
  }

  const publishBatch = (lane: string) =>
    database.transaction(null, async (em) => {
      const rows = await takeDue(em, lane, batch);
      for (const row of rows) await publish(em, row);
      return rows.length;
    });

  async function round(): Promise<void> {
    if (broker.isConnected()) for (const lane of lanes) while (!stopped && (await publishBatch(lane)) === batch);
    if (Date.now() < nextClean) return;
    while (!stopped && (await database.transaction(null, (em) => deleteOld(em, 1000))) === 1000);
    nextClean = Date.now() + cleanEveryMs;
  }

  const loop = (async () => {
    while (!stopped) {
      await round().catch((error: unknown) => log.warn('what is due could not be published, it is tried again', { error }));
      if (!stopped)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, intervalMs);
          wake = () => (clearTimeout(timer), resolve());
        });
    }
  })();

  return async () => {
    stopped = true;
    wake();
    await loop;
  };
}
