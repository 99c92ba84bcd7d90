import { type Broker, isTooLarge } from '@bailiwick/broker';
import type { Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import type { Handover } from './handover.ts';
import { createLossDetector, findLosses } from './loss-detector.ts';
import { createMarks } from './marks.ts';
import { oldRow } from './queries.ts';
import { batch, publishedOf, type SendResult, sendBatch, sendFresh } from './send.ts';

// Publishes the rows of an outbox: those that this process has just committed from its memory, and
// all others from the table.

/** How many rows a relay remembers as published from the table: more than the handover holds. */
const mostFromTable = 2000;

type PublisherDeps = {
  database: Database;
  handover: Handover;
  broker: Broker;
  log: Log;
  /** Ends the pause of the relay. */
  wake: () => void;
};

/** `lookMs`: how often it looks for the rows of a killed process. */
export function createPublisher(
  { database, handover, broker, log, wake }: PublisherDeps,
  lookMs: number,
) {
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
    await marks.whenWritten();
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
    whenMarked: marks.whenWritten,
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
