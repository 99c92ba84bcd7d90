import { type Broker } from '@bailiwick/broker';
import { serviceOrigin, type TaskOperation } from '@bailiwick/contract';
import { publishTask, type Task } from '@bailiwick/outbox';
import { continueTrace, type Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import { type Announcements, watchRows } from '../../waiting-rows.ts';
import type { WaitingRow } from '../queries.ts';
import type { Store } from '../store.ts';
import { createLostTaskDetector } from './lost-tasks.ts';
import { deleteOld, findNextDue, markQueued, postpone, takeDue } from './queries.ts';

export type DuePublisherDeps = {
  database: Database;
  broker: Broker;
  announcements: Pick<Announcements, 'onAnnounced'>;
  store: Store;
  log: Log;
};

const batch = 100;
const cleanEveryMs = 3_600_000;
const cleaned = 5000;

/**
 * Publishes the due tasks of these lanes, and deletes old rows. Any number of processes may run it.
 */
export function startDuePublisher(
  deps: DuePublisherDeps,
  lanes: readonly string[],
): () => Promise<void> {
  const { database, broker, announcements, log } = deps;
  let stopped = false;
  let nextClean = Date.now() + 60_000;
  const lostTasks = createLostTaskDetector(deps, lanes, () => stopped);

  /** Returns in how many milliseconds the next task is due. */
  async function publishDue(): Promise<number> {
    await lostTasks.check();
    const next = await findNextDue(database, lanes);
    for (const { lane } of next.filter(({ inMs }) => inMs <= 0))
      while (!stopped && (await publishBatch(deps, lane)) === batch);
    return Math.min(...next.map(({ inMs }) => inMs));
  }

  // One batch a check, so that due tasks do not wait for the cleaning.
  async function clean(): Promise<void> {
    const count = await database.transaction(
      { call: serviceOrigin('notifications'), tenant: null },
      (tx) => deleteOld(tx, cleaned),
    );
    if (count < cleaned) nextClean = Date.now() + cleanEveryMs;
  }

  async function check(): Promise<number> {
    // While the broker is away, each check is due at once.
    const nextMs = broker.isConnected() ? await publishDue() : 0;
    if (Date.now() < nextClean) return nextMs;
    await clean();
    return 0;
  }

  const end = watchRows({
    announcements,
    log,
    failed: 'publishing due tasks failed, retrying',
    check: () =>
      check().catch((error: unknown) => {
        lostTasks.invalidate();
        throw error;
      }),
  });
  return () => {
    stopped = true;
    return end();
  };
}

/** Publishes a batch of a lane's due tasks, and returns how many were due. */
function publishBatch(deps: DuePublisherDeps, lane: string): Promise<number> {
  return deps.database.transaction(
    { call: serviceOrigin('notifications'), tenant: null },
    async (tx) => {
      const rows = await takeDue(tx, lane, batch);
      // If one publish fails, the whole batch is sent again; the broker drops those it has.
      const published = await Promise.all(rows.map((row) => publish(deps, tx, row)));
      const queued = rows.filter((_row, index) => published[index]).map(({ task }) => task);
      if (queued.length > 0) await markQueued(tx, queued);
      return rows.length;
    },
  );
}

/** Publishes one row. Returns false if the row was postponed. */
async function publish(
  { store, broker, log }: DuePublisherDeps,
  tx: Transaction,
  row: WaitingRow,
): Promise<boolean> {
  const request = await store.openRequest(row).catch((error: unknown) => {
    log.error('opening a waiting task failed, postponed', { task: row.task, error });
  });
  if (!request) {
    await postpone(tx, row.task);
    return false;
  }
  const { tenant, event, attempt, lane, extra } = row;
  const task: Task = { id: row.task, operation: row.operation as TaskOperation, request, extra };
  const message = {
    tenant,
    event,
    attempt,
    first: row.firstAttempt,
    enqueued: new Date(row.enqueuedAt).toISOString(),
    lane,
    // An attempt may be published more than once, each time that it becomes due.
    unique: String(new Date(row.dueAt ?? 0).getTime()),
  };
  await continueTrace(row.traceparent, () => publishTask(broker, task, message));
  return true;
}
