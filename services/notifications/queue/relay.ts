import type { Broker } from '@bailiwick/shared/broker.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { createLookout } from '@bailiwick/shared/loss.ts';
import type { Database, EntityManager } from '@bailiwick/shared/orm.ts';
import { publishTask, type Task, type TaskOperation } from '@bailiwick/shared/tasks.ts';
import { continueTrace } from '@bailiwick/shared/trace.ts';
import { deleteOld, markQueued, postpone, requeue, takeDue, type WaitingRow } from './queries.ts';
import type { Store } from './store.ts';

export type RelayDeps = { database: Database; broker: Broker; store: Store; log: Log };

const batch = 100;
const intervalMs = 250;
const cleanEveryMs = 3_600_000;
/** The broker's clock and the database's. What is published once too often is dropped. */
const clocksDifferMs = 5000;
const forgottenAfterMs = 15 * 60_000;
const requeued = 1000;
const cleaned = 5000;

/** Publishes what is due in these lanes, and forgets what is old. Any number of processes may run it. */
export function startDueRelay(
  { database, broker, store, log }: RelayDeps,
  lanes: readonly string[],
): () => Promise<void> {
  let stopped = false;
  let wake = () => {};
  let nextClean = Date.now() + 60_000;

  /** Whether the row is with the broker now. */
  async function publish(em: EntityManager, row: WaitingRow): Promise<boolean> {
    const request = await store.openRequest(row).catch((error: unknown) => {
      log.error('a waiting task cannot be opened and is put off', { task: row.task, error });
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
    // An attempt may be published more than once, each time that it has become due anew.
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
      // Where one fails all are sent again, and the broker knows those it has.
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
      for (let some = requeued; some === requeued && !stopped; count += some)
        some = await database.transaction(null, (em) => requeue(em, lane, lostUntil, requeued));
    }
    return count;
  }
  // What is older than all that the broker has is not with it any more.
  async function forgottenBefore(lane: string): Promise<number> {
    const oldest = await Promise.all(
      [lane, 'slow'].map((name) => broker.oldest('TASK', `task.${name}.>`)),
    );
    return (
      Math.min(
        Date.now() - forgottenAfterMs,
        ...oldest.map((time) => time?.getTime() ?? Number.POSITIVE_INFINITY),
      ) - clocksDifferMs
    );
  }

  // What was handed to a stream that is no more, or that has become shorter, waits again at once.
  let lastSeq = 0;
  const lookout = createLookout(broker, async () => {
    const { TASK } = await broker.states();
    const lostUntil =
      (TASK.lastSeq < lastSeq ? Date.now() : TASK.created.getTime()) + clocksDifferMs;
    const count = await requeueAll(() => Promise.resolve(lostUntil));
    lastSeq = TASK.lastSeq;
    if (count > 0)
      log.error('the broker has lost retries that it was given: they are published again', {
        rows: count,
      });
    await requeueAll(forgottenBefore);
  });

  async function round(): Promise<void> {
    if (broker.isConnected()) {
      await lookout.look();
      for (const lane of lanes) while (!stopped && (await publishBatch(lane)) === batch);
    }
    // One batch a round: what is due does not wait for this.
    if (
      Date.now() >= nextClean &&
      (await database.transaction(null, (em) => deleteOld(em, cleaned))) < cleaned
    )
      nextClean = Date.now() + cleanEveryMs;
  }

  const loop = (async () => {
    while (!stopped) {
      await round().catch((error: unknown) => {
        lookout.doubt();
        log.warn('what is due could not be published, it is tried again', { error });
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
