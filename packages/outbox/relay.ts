import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { gauge, type Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import type { Handover } from './handover.ts';
import { createPublisher } from './publisher.ts';
import { deleteOldRows, oldestAge } from './queries.ts';

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
        .then(publisher.whenMarked);
      await Promise.race([last, sleep(lastMs, undefined, { ref: false })]);
    },
  };
}

/** Waits, at most until the signal. */
const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});

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

async function deleteOld(database: Database): Promise<number> {
  const scope = { call: serviceOrigin(database.service), tenant: null };
  const deleted = await database.transaction(scope, (tx) =>
    tx.query(deleteOldRows, [deletedAtOnce]),
  );
  return deleted.length;
}
