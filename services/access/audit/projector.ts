import { setImmediate, setTimeout } from 'node:timers/promises';
import { type Broker, type BrokerMessage } from '@bailiwick/broker';
import { isOutage } from '@bailiwick/errors';
import type { StreamMessage } from '@bailiwick/outbox';
import type { Background } from '@bailiwick/pipeline';
import { type Log, outsideTraces } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { appendEntries } from './append.ts';
import { type Entry, entryOf } from './chain.ts';

const batch = 100;

/**
 * The pause after a write, so that more entries share the next one: longer after few, as a directory
 * or an application makes them, than after many, as an import does. An entry that comes alone is
 * written at once.
 */
const restMs = { afterFew: 50, afterMany: 10 };
const many = 20;

/** Appends the audit entry of each event stream message to its tenant's chain, in arrival order. */
export function projectAudit({
  database,
  broker,
  log,
}: {
  database: Database;
  broker: Broker;
  log: Log;
}): Background {
  return () => {
    const append = createBatcher((entries) => appendEntries(database, entries));
    broker.consume(
      { stream: 'EVT', durable: 'audit', subject: 'evt.>', concurrency: batch, ackWaitMs: 30_000 },
      async (message) => {
        const entry = readEntry(message);
        if (entry) await append(entry);
        // Redelivery would not help. Only Bailiwick publishes here, so this is a defect: log it and
        // acknowledge.
        else
          log.error('event stream message without an audit entry, dropped', {
            subject: message.subject,
          });
        message.ack();
      },
    );
    // Closing the broker waits for messages in progress.
    return () => Promise.resolve();
  };
}

function readEntry(message: BrokerMessage): Entry | undefined {
  try {
    const { audit } = JSON.parse(message.text()) as StreamMessage;
    return entryOf(audit);
  } catch {
    return undefined;
  }
}

type Waiting = { entry: Entry; resolve: () => void; reject: (error: unknown) => void };

/**
 * Collects the entries that arrive during one write into the next one. If a batch fails,
 * writes its entries one by one, so that one bad entry does not block the others.
 */
export function createBatcher(write: (entries: readonly Entry[]) => Promise<void>) {
  const waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    // Messages that arrived with the first one are still being delivered.
    await setImmediate();
    while (waiting.length > 0) {
      const chunk = waiting.splice(0, batch);
      await writeAll(write, chunk);
      const { length } = chunk;
      if (length < batch) await setTimeout(length < many ? restMs.afterFew : restMs.afterMany);
    }
    running = false;
  }

  return (entry: Entry): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      if (running) return;
      running = true;
      // One write serves entries of many traces.
      void outsideTraces(run);
    });
}

async function writeAll(
  write: (entries: readonly Entry[]) => Promise<void>,
  chunk: readonly Waiting[],
): Promise<void> {
  try {
    await write(chunk.map(({ entry }) => entry));
    for (const { resolve } of chunk) resolve();
  } catch (error) {
    const away = isOutage(error);
    for (const { entry, resolve, reject } of chunk) {
      if (away || chunk.length === 1) reject(error);
      else await write([entry]).then(resolve, reject);
    }
  }
}
