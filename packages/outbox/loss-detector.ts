import type { Broker, StreamName, StreamState } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { counter, type Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import {
  afterAll,
  fromNewest,
  fromOldest,
  markFrom,
  markUpTo,
  type PublishedPage,
  type PublishedRow,
  time,
} from './queries.ts';

// Detects messages that the broker lost and publishes them again (docs/reliability.md). The outbox
// keeps published rows for 24 h with their sequence number in the event stream. A row is safe if
// the stream still holds it there, with a time after the creation of the task stream: tasks of an
// event are published after the event. Only the broker's clock is used, so clock skew does not
// matter.

/**
 * A recreated stream lost its oldest messages; a restored stream lost its newest. So the rows at
 * both ends are checked: a page of them, since the last few may have been published after the loss.
 */
const page = 200;
const marked = 5000;
/**
 * A single server that loses power may lose its last unsynced tasks: by default it syncs every 2
 * minutes.
 */
const overlap = '3 minutes';
const everyMs = 60_000;

const republished = counter({
  name: 'bailiwick_broker_loss_republished_total',
  about: 'Changes that were published again because the broker had lost them or their tasks.',
});

/**
 * Runs `work` once for each connection to the broker, and each minute. `invalidate` makes the next
 * `check` run it.
 */
export function createLossDetector(broker: Pick<Broker, 'connections'>, work: () => Promise<void>) {
  republished.add({}, 0); // shows 0 from the start, in processes that detect losses
  let connection = 0;
  let at = Number.NEGATIVE_INFINITY;
  return {
    async check(): Promise<void> {
      const current = broker.connections();
      if (current === connection && performance.now() - at < everyMs) return;
      await work();
      connection = current;
      at = performance.now();
    },
    invalidate: () => void (at = Number.NEGATIVE_INFINITY),
  };
}

type Deps = { database: Database; broker: Pick<Broker, 'states' | 'held'>; log: Log };

/**
 * Finds published rows that the broker has lost and marks them as unpublished, for the relay. Any
 * number of replicas may do so at once: a row that another replica found is already published or
 * waiting. Returns the number of rows.
 */
export async function findLosses({ database, broker, log }: Deps): Promise<number> {
  const [clock] = await database.query(time, []);
  const streams = await broker.states();
  const isLost = ({ id, seq }: PublishedRow) => isGone(broker, streams, id, Number(seq));
  // Marks from the inside to the end, so that an interrupted run leaves rows where the next run
  // begins to check.
  const oldest = await lostFrom(database, fromOldest, '', isLost);
  let count =
    oldest === undefined
      ? 0
      : await markAll(database, (tx) => tx.query(markUpTo, [clock?.now, oldest, marked]));
  const newest = await lostFrom(database, fromNewest, afterAll, isLost);
  if (newest !== undefined)
    count += await markAll(database, (tx) =>
      tx.query(markFrom, [clock?.now, newest, overlap, marked]),
    );
  if (count === 0) return 0;
  republished.add({}, count);
  log.error('the broker has lost messages, publishing them again', {
    rows: count,
    service: database.service,
  });
  return count;
}

async function isGone(
  broker: Deps['broker'],
  { EVT, TASK }: Record<StreamName, StreamState>,
  id: string,
  seq: number,
): Promise<boolean> {
  // A number beyond the end of the stream is newer than its state here, or lost.
  const isBeyond = seq > EVT.lastSeq && seq > (await broker.states()).EVT.lastSeq;
  const message = isBeyond ? undefined : await broker.held('EVT', seq);
  return (
    message === undefined ||
    (message.id !== id && !message.id.startsWith(`${id}:`)) ||
    message.at < TASK.created
  );
}

/** The last lost row in this direction, before a page without any. */
async function lostFrom(
  database: Database,
  statement: PublishedPage,
  start: string,
  isLost: (row: PublishedRow) => Promise<boolean>,
): Promise<string | undefined> {
  let lastId: string | undefined;
  for (let from = start; ; ) {
    const rows = await database.query(statement, [from, page]);
    const lost = await Promise.all(rows.map(isLost));
    const last = rows[lost.lastIndexOf(true)];
    if (!last) return lastId;
    lastId = last.id;
    from = rows.at(-1)?.id ?? from;
  }
}

async function markAll(
  database: Database,
  markSome: (tx: Transaction) => Promise<Array<{ count: number }>>,
): Promise<number> {
  let count = 0;
  for (;;) {
    const [row] = await database.transaction(
      { call: serviceOrigin(database.service), tenant: null },
      markSome,
    );
    count += row?.count ?? 0;
    if ((row?.count ?? 0) < marked) return count;
  }
}
