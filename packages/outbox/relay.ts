import { setTimeout as sleep } from 'node:timers/promises';
import { type Broker, isTooLarge } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { continueTrace, gauge, type Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { type FreshRow, type Handover, isOwn } from './handover.ts';
import { createLossDetector, findLosses } from './loss-detector.ts';
import { createMarks, type Marks } from './marks.ts';
import { deleteOldRows, mark, oldestAge, oldRow, type Waiting, waitingRows } from './queries.ts';
import { streamMessage } from './row.ts';
import { firstPublicationHeader, publishTask, tasksMadeHeader } from './tasks.ts';

const batch = 100;
/** How many rows a relay remembers as published from the table: more than the handover holds. */
const mostFromTable = 2000;
const deletedAtOnce = 5000;
/** How often a busy relay looks for the rows of a killed process. */
const lookMs = 1000;
/**
 * After a round that published several changes the relay pauses twice as long as the round took, at
 * most 50 ms, so that a busy service does not spend a transaction on each. A change that comes alone
 * is published at once.
 */
const pauseFactor = 2;
const longestPauseMs = 50;

const lag = gauge<{ service: string }>({
  name: 'bailiwick_outbox_lag_seconds',
  about:
    'Age of the oldest unpublished outbox row; 0 if there is none. Read from the database: each replica reports the same value.',
});
/** After a failed round, and while the broker is away. */
const retryMs = 500;
/** The longest last round of a process that stops. */
const lastMs = 2000;

type RelayOptions = {
  database: Database;
  handover: Handover;
  broker: Broker;
  log: Log;
  intervalMs?: number;
  pauseMs?: number | undefined;
};

/**
 * Publishes a service's outbox rows in the background: at once after a commit that recorded a
 * change, and after rows were added to `handover`. After each round, and every `intervalMs`, it
 * looks for the rows of a killed process. Any number of replicas may run it. Rows are kept for 24 h
 * after publication.
 * `pauseMs`: a fixed pause after each round, for a service whose events are not urgent. A round
 * wakes the broker, the audit and the fan-out, which costs more than its rows.
 */
export function startRelay({
  database,
  handover,
  broker,
  log,
  intervalMs = 5000,
  pauseMs,
}: RelayOptions) {
  measureLag(database);
  const pause = createPause();
  const stopping = new AbortController();
  let nextClean = Date.now() + 60_000;
  const publisher = createPublisher(
    { database, handover, broker, log, wake: pause.end },
    Math.min(intervalMs, lookMs),
  );
  database.onCommit(() => {
    publisher.mustRead();
    pause.end();
  });
  handover.onAdd(pause.end);

  /** Returns how many rows were published. */
  async function round(): Promise<number> {
    const published = await publisher.publish(stopping.signal);
    // One batch a round, so that publishing does not wait for the deletion.
    if (Date.now() >= nextClean && (await deleteOld(database)) < deletedAtOnce)
      nextClean = Date.now() + 3_600_000;
    return published;
  }

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      pause.begin();
      const startedAt = performance.now();
      const published = await round().catch((error: unknown) => {
        publisher.invalidate();
        log.warn('relaying the outbox failed, retrying', { error });
      });
      // By default one row alone is followed by the next round at once.
      const pausesAfter = pauseMs === undefined ? 2 : 1;
      if (published === undefined || published >= pausesAfter)
        await rest(
          pauseMs ?? Math.min(pauseFactor * (performance.now() - startedAt), longestPauseMs),
          stopping.signal,
        );
      const isWell = published !== undefined && broker.isConnected();
      await pause.wait(isWell ? intervalMs : Math.min(intervalMs, retryMs));
    }
  })();

  return {
    /** Publishes the waiting rows first: otherwise another replica or the next start would. */
    async stop() {
      stopping.abort();
      pause.end();
      await loop;
      const last = publisher
        .publish(AbortSignal.timeout(lastMs), true)
        .catch((error: unknown) => {
          log.warn('relaying the outbox failed before the stop', { error });
        })
        .then(publisher.settled);
      await Promise.race([last, sleep(lastMs, undefined, { ref: false })]);
    },
  };
}

/** Waits, at most until the signal. */
const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});

type PublisherDeps = {
  database: Database;
  handover: Handover;
  broker: Broker;
  log: Log;
  /** Ends the pause of the relay. */
  wake: () => void;
};

function createPublisher({ database, handover, broker, log, wake }: PublisherDeps, lookMs: number) {
  /** Whether the table has rows that no process holds in its memory, as after a start. */
  let isBehind = true;
  const mustRead = () => void (isBehind = true);
  const marks = createMarks(database, log, () => {
    mustRead();
    wake();
  });
  const looks = createLooks(database, lookMs);

  /** Leaves all rows to the table while the broker is away: another replica may publish them. */
  function forgetFresh(): void {
    const { rows, hasMore } = handover.take();
    if (rows.length > 0 || hasMore) mustRead();
  }

  const table = createTable({ database, broker, log });

  // Checked before anything is published over a new connection: new messages would fill the gap
  // that reveals a loss.
  const lossDetector = createLossDetector(broker, async () => {
    // A row that counts as published only after the check would be overlooked.
    await marks.settled();
    if ((await findLosses({ database, broker, log })) > 0) mustRead();
    table.retryTooLarge();
  });

  /** Returns how many were published. Begins no other batch after the signal. */
  async function publish(signal: AbortSignal, isLast = false): Promise<number> {
    if (!broker.isConnected()) {
      forgetFresh();
      return 0;
    }
    await lossDetector.check();
    const fresh = await sendFresh({ handover, broker, marks }, table.published);
    let { published } = fresh;
    const includesRecent = isBehind || fresh.hasMore;
    // Before it reads: a commit during the round needs another one.
    isBehind = false;
    if (await looks.mustRead(includesRecent, isLast)) {
      let size = 0;
      do published += size = await table.publishBatch(includesRecent, marks.pendingIds());
      while (size === batch && !signal.aborted);
      if (size === batch) mustRead();
    }
    return published;
  }

  return {
    mustRead,
    /** After a failed round. */
    invalidate() {
      mustRead();
      lossDetector.invalidate();
    },
    publish,
    settled: marks.settled,
  };
}

/** Publishes the rows of the table, a batch at a time. */
function createTable({
  database,
  broker,
  log,
}: Pick<PublisherDeps, 'database' | 'broker' | 'log'>) {
  /**
   * Rows too large for the broker: skipped until the next check of the loss detector, so that they
   * do not block others.
   */
  const tooLarge = new Set<string>();

  /**
   * The rows that were published last. The handover may get some of them afterwards: a commit ends
   * the pause before its rows are added.
   */
  const published = new Set<string>();

  return {
    published,
    retryTooLarge: () => tooLarge.clear(),
    /** Returns the size of the batch. */
    async publishBatch(includesRecent: boolean, skipped: readonly string[]): Promise<number> {
      const all = [...tooLarge, ...skipped];
      const results = await sendBatch({ database, broker }, includesRecent, all);
      for (const { id } of publishedOf(results)) published.add(id);
      for (const id of [...published].slice(0, -mostFromTable)) published.delete(id);
      for (const id of tooLargeOf(results, log)) tooLarge.add(id);
      return results.length;
    },
  };
}

/** Knows when to look for rows that no process publishes from its memory: once in a while. */
function createLooks(database: Database, everyMs: number) {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Whether to read the table: in any case, or if such a row waits. */
    async mustRead(inAnyCase: boolean, looksNow: boolean): Promise<boolean> {
      if (!inAnyCase && !looksNow && performance.now() - lookedAt < everyMs) return false;
      lookedAt = performance.now();
      return inAnyCase || (await database.query(oldRow, [])).length > 0;
    },
  };
}

/** The rows that are too large for the broker. @throws the error of a row that failed otherwise */
function tooLargeOf(results: readonly SendResult[], log: Log): string[] {
  return results.flatMap(({ id, seq, error }) => {
    if (seq !== undefined) return [];
    if (!isTooLarge(error)) throw error;
    log.error('a change is too large for the broker and stays in the outbox', { row: id, error });
    return [id];
  });
}

function measureLag(database: Database): void {
  lag.from(async () => {
    const [row] = await database.query(oldestAge, []);
    return [{ value: row?.age ?? 0, labels: { service: database.service } }];
  });
}

/** A pause that `end` cuts short, also if it comes between `begin` and `wait`. */
function createPause() {
  let ended = false;
  let wake = () => {};
  return {
    begin(): void {
      ended = false;
    },
    end(): void {
      ended = true;
      wake();
    },
    /** Waits for `end`, at most `ms`. */
    async wait(ms: number): Promise<void> {
      if (!ended)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => (clearTimeout(timer), resolve());
        });
    },
  };
}

/**
 * Publishes the oldest rows and marks the ones that the broker has stored. `includesRecent`: also
 * rows that another process may hold in its memory.
 */
function sendBatch(
  { database, broker }: Pick<PublisherDeps, 'database' | 'broker'>,
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
async function sendFresh(
  { handover, broker, marks }: Pick<PublisherDeps, 'handover' | 'broker'> & { marks: Marks },
  skipped: ReadonlySet<string>,
): Promise<{ published: number; hasMore: boolean }> {
  const taken = handover.take();
  const rows = taken.rows.filter(({ id }) => !skipped.has(id));
  let published = 0;
  // Each row may have many tasks. While the broker refuses rows, the others stay in the table.
  for (let at = 0; at < rows.length && published === at; at += batch) {
    const some = rows.slice(at, at + batch);
    const positions = publishedOf(await Promise.all(some.map((row) => sendRow(broker, row))));
    marks.add(positions);
    published += positions.length;
  }
  return { published, hasMore: taken.hasMore || published < rows.length };
}

const sendRow = (broker: Broker, row: FreshRow) =>
  continueTrace(row.traceparent, () =>
    send(broker, { ...row, for_tenant: row.forTenant, tasks: [], stream_seq: null }, row),
  );

const publishedOf = (results: readonly SendResult[]) =>
  results.flatMap(({ id, seq }) => (seq === undefined ? [] : [{ id, seq }]));

async function deleteOld(database: Database): Promise<number> {
  const scope = { call: serviceOrigin(database.service), tenant: null };
  const deleted = await database.transaction(scope, (tx) =>
    tx.query(deleteOldRows, [deletedAtOnce]),
  );
  return deleted.length;
}

type SendResult = { id: string; seq?: number; error?: unknown };

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
