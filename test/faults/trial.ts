import { type Account, settle } from './account.ts';
import { injectFaults } from './faults.ts';
import { keepLedger } from './ledger.ts';
import { startProduct } from './product.ts';
import { seededRandom } from './random.ts';

export type TrialOptions = {
  kills: number;
  seconds: number;
  seed: number;
  rate: number;
  brokers?: 1 | 3;
  say: (line: string) => void;
};
export type Trial = Account & {
  operations: number;
  counts: Awaited<ReturnType<typeof injectFaults>>;
  /** The share of accepted deliveries that were repetitions. */
  duplicateShare: number;
  /** The maximum that could have been in progress at the kills. */
  duplicateLimit: number;
  drainedAfterSeconds: number;
};

/** The maximum in progress in two notifications processes: webhooks and mails. */
const inHand = 2 * (64 + 10);
const drainLimitMs = 240_000;

/** Runs the product under a ledger with kills, waits until it has settled, and compares. */
export async function runTrial(options: TrialOptions): Promise<Trial> {
  const { kills, seconds, seed, rate, brokers = 1, say } = options;
  const random = seededRandom(seed);
  const product = await startProduct(seededRandom(seed + 1), brokers);
  try {
    const ledger = keepLedger(product, { rate, clients: 8, random: seededRandom(seed + 2) });
    const counts = await injectFaults(product, { kills, seconds, random });
    const { entries, answers } = await ledger.stop();
    say(`${entries.length} operations, answers: ${JSON.stringify(answers)}`);
    await product.stack.ready();
    const began = performance.now();
    const account = await settle(product, entries, drainLimitMs);
    const deliveries = account.effects + account.duplicates;
    return {
      ...account,
      operations: entries.length,
      counts,
      duplicateShare: account.duplicates / deliveries,
      duplicateLimit: inHand * (counts.worker + counts.broker + counts.database),
      drainedAfterSeconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await product.stop();
  }
}
