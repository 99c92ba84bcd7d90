import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, execute, type Statement } from '@bailiwick/database';
import { continueTrace, gauge, type Log } from '@bailiwick/telemetry';
import { type Broker, isTooLarge } from './broker.ts';
import { createLossDetector, findLosses } from './loss-detector.ts';
import { streamMessage } from './outbox.ts';
import { publishTask, type Task } from './tasks.ts';

const batch = 100;
const deletedAtOnce = 5000;
/**
 * After a round the relay pauses twice as long as the round took, at most 50 ms. The first change
 * is published at once; those right after it share a batch, so that a busy service does not spend
 * a transaction on each.
 */
const pauseFactor = 2;
const longestPauseMs = 50;

const lag = gauge<{ service: string }>({
  name: 'bailiwick_outbox_lag_seconds',
  about:
    'Age of the oldest unpublished outbox row; 0 if there is none. Read from the database: each replica reports the same value.',
});
const oldest: Statement = {
  name: 'outbox.oldest',
  text: 'select extract(epoch from now() - created_at)::float8 as age from outbox where published_at is null order by id limit 1',
};

const waitingRow: Statement = {
  name: 'outbox.waiting',
  text: 'select from outbox where published_at is null limit 1',
};

type Waiting = {
  id: string;
  for_tenant: string;
  type: string;
  event: string | null;
  audit: string;
  tasks: Task[];
  traceparent: string;
  /** The former sequence number of a row that is published again. */
  stream_seq: string | null;
};

/**
 * Publishes a service's outbox rows in the background: at once after `nudge`, otherwise every
 * `intervalMs`. Any number of replicas may run it. Rows are kept for 24 h after publication.
 */
export function startRelay({
  database,
  broker,
  log,
  intervalMs = 500,
}: {
  database: Database;
  broker: Broker;
  log: Log;
  intervalMs?: number;
}) {
  measureLag(database);
  const pause = createPause();
  let stopped = false;
  let nextClean = Date.now() + 60_000;

  /**
   * Rows too large for the broker: skipped until the next check of the loss detector, so that they
   * do not block others.
   */
  const tooLarge = new Set<string>();

  async function publishBatch(): Promise<number> {
    const sent = await sendBatch(database, broker, [...tooLarge]);
    for (const { id, error } of sent.filter(({ seq }) => seq === undefined)) {
      if (!isTooLarge(error)) throw error;
      tooLarge.add(id);
      log.error('a change is too large for the broker and stays in the outbox', { row: id, error });
    }
    return sent.length;
  }

  // Checked before anything is published over a new connection: new messages would fill the gap
  // that reveals a loss.
  const lossDetector = createLossDetector(broker, async () => {
    await findLosses({ database, broker, log });
    tooLarge.clear();
  });

  /** `isNudged`: a change has been made. Otherwise a plain statement looks for one first. */
  async function round(isNudged: boolean): Promise<void> {
    if (broker.isConnected()) {
      await lossDetector.check();
      if (isNudged || (await database.query(waitingRow, [])).length > 0)
        while ((await publishBatch()) === batch && !stopped);
    }
    // One batch a round, so that publishing does not wait for the deletion.
    if (Date.now() >= nextClean && (await deleteOld(database)) < deletedAtOnce)
      nextClean = Date.now() + 3_600_000;
  }

  const loop = (async () => {
    for (let isNudged = false; !stopped; ) {
      pause.begin();
      const begun = performance.now();
      await round(isNudged).catch((error: unknown) => {
        lossDetector.invalidate();
        log.warn('relaying the outbox failed, retrying', { error });
      });
      await sleep(Math.min(pauseFactor * (performance.now() - begun), longestPauseMs));
      isNudged = await pause.wait(intervalMs);
    }
  })();

  return {
    /** Wakes the relay; called after every commit. */
    nudge: pause.end,
    async stop() {
      stopped = true;
      pause.end();
      await loop;
    },
  };
}

function measureLag(database: Database): void {
  lag.from(async () => {
    const [row] = await database.query<{ age: number }>(oldest, []);
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
    /** Waits for `end`, at most `ms`. Returns whether it has come. */
    async wait(ms: number): Promise<boolean> {
      if (!ended)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => (clearTimeout(timer), resolve());
        });
      return ended;
    },
  };
}

/** Publishes the oldest rows and marks the ones that the broker has stored. */
function sendBatch(
  database: Database,
  broker: Broker,
  skipped: readonly string[],
): Promise<Sent[]> {
  return database.transaction(null, async (em) => {
    const rows = await execute<Waiting>(
      em,
      `select id, for_tenant, type, event, audit, tasks, traceparent, stream_seq from outbox
       where published_at is null and id <> all ($2::text[]) order by id limit $1 for update skip locked`,
      [batch, skipped],
    );
    // Sent in order, without waiting for each other. A failed row is sent again, and the broker
    // drops what it already has.
    const sent = await Promise.all(
      rows.map((row) => continueTrace(row.traceparent, () => send(broker, row))),
    );
    const published = sent.flatMap(({ id, seq }) => (seq === undefined ? [] : [{ id, seq }]));
    if (published.length > 0)
      await execute(
        em,
        `update outbox o set published_at = now(), stream_seq = p.seq
         from jsonb_to_recordset($1::jsonb) as p (id text, seq bigint) where o.id = p.id`,
        [JSON.stringify(published)],
      );
    return sent;
  });
}

async function deleteOld(database: Database): Promise<number> {
  const text = `delete from outbox where id = any (array (
    select id from outbox where published_at < now() - interval '24 hours' order by published_at limit $1)) returning 1`;
  const deleted = await database.transaction(null, (em) => execute(em, text, [deletedAtOnce]));
  return deleted.length;
}

type Sent = { id: string; seq?: number; error?: unknown };

/** Publishes a row and returns its result: a failed row must not make the others be sent again. */
const send = (broker: Broker, row: Waiting): Promise<Sent> =>
  publishRow(broker, row).then(
    (seq) => ({ id: row.id, seq }),
    (error: unknown) => ({ id: row.id, error }),
  );

async function publishRow(
  broker: Broker,
  { id, for_tenant: tenant, type, event, audit, tasks, stream_seq: before }: Waiting,
): Promise<number> {
  const subject = `evt.${tenant || '_'}.${type || 'audit'}`;
  // A new message id: if only tasks were lost, the stream still has the event and would drop it as
  // a duplicate.
  const message = before === null ? id : `${id}:${before}`;
  const sequence = await broker.publish(subject, streamMessage(event, audit), message);
  for (const task of tasks) await publishTask(broker, task, { tenant, event: id });
  return sequence;
}
