import { type Database, type EntityManager } from '@bailiwick/database';
import {
  type Broker,
  createLossDetector,
  publishTask,
  type Task,
  type TaskOperation,
} from '@bailiwick/events';
import { continueTrace, type Log } from '@bailiwick/telemetry';
import type { WaitingRow } from '../queries.ts';
import type { Store } from '../store.ts';
import { deleteOld, markQueued, postpone, requeue, takeDue } from './queries.ts';

export type DuePublisherDeps = { database: Database; broker: Broker; store: Store; log: Log };

const batch = 100;
const intervalMs = 250;
const cleanEveryMs = 3_600_000;
/** Tolerance for the clocks of the broker and the database. The broker drops duplicates. */
const clocksDifferMs = 5000;
const lostAfterMs = 15 * 60_000;
const requeued = 1000;
const cleaned = 5000;

/**
 * Publishes the due tasks of these lanes, and deletes old rows. Any number of processes may run it.
 */
export function startDuePublisher(
  { database, broker, store, log }: DuePublisherDeps,
  lanes: readonly string[],
): () => Promise<void> {
  let stopped = false;
  let wake = () => {};
  let nextClean = Date.now() + 60_000;

  /** Publishes one row. Returns false if the row was postponed. */
  async function publish(em: EntityManager, row: WaitingRow): Promise<boolean> {
    const request = await store.openRequest(row).catch((error: unknown) => {
      log.error('opening a waiting task failed, postponed', { task: row.task, error });
    });
    if (!request) {
      await postpone(em, row.task);
      return false;
    }
    const {
      task: id,
      operation,
      extra,
      traceparent,
      tenant,
      event,
      attempt,
      firstAttempt: first,
      enqueuedAt,
      lane,
    } = row;
    const task: Task = { id, operation: operation as TaskOperation, request, extra };
    // An attempt may be published more than once, each time that it becomes due.
    const unique = String(new Date(row.dueAt ?? 0).getTime());
    const message = {
      tenant,
      event,
      attempt,
      first,
      enqueued: new Date(enqueuedAt).toISOString(),
      lane,
      unique,
    };
    await continueTrace(traceparent, () => publishTask(broker, task, message));
    return true;
  }

  const publishBatch = (lane: string) =>
    database.transaction(null, async (em) => {
      const rows = await takeDue(em, lane, batch);
      // If one publish fails, the whole batch is sent again; the broker drops those it has.
      const published = await Promise.all(rows.map((row) => publish(em, row)));
      const queued = rows.filter((_row, index) => published[index]);
      if (queued.length > 0)
        await markQueued(
          em,
          queued.map(({ task }) => task),
        );
      return rows.length;
    });

  async function requeueAll(before: (lane: string) => Promise<number>): Promise<number> {
    let count = 0;
    for (const lane of lanes) {
      const lostUntil = new Date(await before(lane));
      for (let rows = requeued; rows === requeued && !stopped; count += rows)
        rows = await database.transaction(null, (em) => requeue(em, lane, lostUntil, requeued));
    }
    return count;
  }
  // Rows older than the broker's oldest message are no longer with the broker.
  async function lostBefore(lane: string): Promise<number> {
    const oldest = await Promise.all(
      [lane, 'slow'].map((name) => broker.oldest('TASK', `task.${name}.>`)),
    );
    return (
      Math.min(
        Date.now() - lostAfterMs,
        ...oldest.map((time) => time?.getTime() ?? Number.POSITIVE_INFINITY),
      ) - clocksDifferMs
    );
  }

  // Tasks published to a stream that was lost or truncated are due again at once.
  let lastSeq = 0;
  const lossDetector = createLossDetector(broker, async () => {
    const { TASK } = await broker.states();
    const lostUntil =
      (TASK.lastSeq < lastSeq ? Date.now() : TASK.created.getTime()) + clocksDifferMs;
    const count = await requeueAll(() => Promise.resolve(lostUntil));
    lastSeq = TASK.lastSeq;
    if (count > 0)
      log.error('the broker has lost published retries, publishing them again', {
        rows: count,
      });
    await requeueAll(lostBefore);
  });

  async function round(): Promise<void> {
    if (broker.isConnected()) {
      await lossDetector.check();
      for (const lane of lanes) while (!stopped && (await publishBatch(lane)) === batch);
    }
    // One batch a round, so that due tasks do not wait for the cleaning.
    if (
      Date.now() >= nextClean &&
      (await database.transaction(null, (em) => deleteOld(em, cleaned))) < cleaned
    )
      nextClean = Date.now() + cleanEveryMs;
  }

  const loop = (async () => {
    while (!stopped) {
      await round().catch((error: unknown) => {
        lossDetector.invalidate();
        log.warn('publishing due tasks failed, retrying', { error });
      });
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
