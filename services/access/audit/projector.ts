import { setImmediate } from 'node:timers/promises';
import type { Broker, BrokerMessage } from '@bailiwick/shared/broker.ts';
import { isAway } from '@bailiwick/shared/errors.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { StreamMessage } from '@bailiwick/shared/outbox.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { outsideTraces } from '@bailiwick/shared/trace.ts';
import { appendEntries } from './append.ts';
import { type Entry, entryOf } from './chain.ts';

const batch = 100;

/** Writes the audit entry of every message of the event stream into its tenant's chain, in order of arrival. */
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
        // Such a message would come for ever. Only Bailiwick itself publishes here, so this is a defect to be seen.
        else
          log.error('a message of the event stream has no audit entry', {
            subject: message.subject,
          });
        await message.ack();
      },
    );
    // Closing the broker waits for what is in hand.
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
 * Collects what arrives while one transaction runs into the next one. Where a batch fails its entries are
 * tried one by one, so that one that cannot be stored does not hold up the others.
 */
export function createBatcher(write: (entries: readonly Entry[]) => Promise<void>) {
  const waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    // What has come with the first one is still being handed over.
    await setImmediate();
    while (waiting.length > 0) {
      const taken = waiting.splice(0, batch);
      await writeAll(write, taken);
    }
    running = false;
  }

  return (entry: Entry): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      if (running) return;
      running = true;
      // One transaction serves entries of many traces.
      void outsideTraces(run);
    });
}

async function writeAll(
  write: (entries: readonly Entry[]) => Promise<void>,
  taken: readonly Waiting[],
): Promise<void> {
  try {
    await write(taken.map(({ entry }) => entry));
    for (const { resolve } of taken) resolve();
  } catch (error) {
    const away = isAway(error);
    for (const { entry, resolve, reject } of taken) {
      if (away || taken.length === 1) reject(error);
      else await write([entry]).then(resolve, reject);
    }
  }
}
