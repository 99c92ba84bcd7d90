import { type Broker } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { createLossDetector } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { requeue } from './queries.ts';

/** Tolerance for the clocks of the broker and the database. The broker drops duplicates. */
const clocksDifferMs = 5000;
const lostAfterMs = 15 * 60_000;
const batch = 1000;

type Deps = { database: Database; broker: Broker; log: Log };

/** Makes the published tasks of these lanes that the broker has lost due again at once. */
export function createLostTaskDetector(
  { database, broker, log }: Deps,
  lanes: readonly string[],
  isStopped: () => boolean,
) {
  let lastSeq = 0;

  /** Requeues the tasks of a lane that were published before a time. Returns their number. */
  async function requeueLane(lane: string, before: Date): Promise<number> {
    let count = 0;
    for (let rows = batch; rows === batch && !isStopped(); count += rows)
      rows = await database.transaction(
        { call: serviceOrigin('notifications'), tenant: null },
        (tx) => requeue(tx, lane, before, batch),
      );
    return count;
  }

  /** Requeues the tasks published to a stream that was lost or truncated. */
  async function requeueLostStream(): Promise<void> {
    const { TASK } = await broker.states();
    const lostUntil = TASK.lastSeq < lastSeq ? Date.now() : TASK.created.getTime();
    let count = 0;
    for (const lane of lanes)
      count += await requeueLane(lane, new Date(lostUntil + clocksDifferMs));
    lastSeq = TASK.lastSeq;
    if (count > 0)
      log.error('the broker has lost published retries, publishing them again', { rows: count });
  }

  // Rows older than the broker's oldest message are no longer with the broker.
  async function lostBefore(lane: string): Promise<Date> {
    const oldest = await Promise.all(
      [lane, 'slow'].map((name) => broker.oldest('TASK', `task.${name}.>`)),
    );
    const times = oldest.map((time) => time?.getTime() ?? Number.POSITIVE_INFINITY);
    return new Date(Math.min(Date.now() - lostAfterMs, ...times) - clocksDifferMs);
  }

  return createLossDetector(broker, async () => {
    await requeueLostStream();
    for (const lane of lanes) await requeueLane(lane, await lostBefore(lane));
  });
}
