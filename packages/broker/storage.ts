import { counter, type Log } from '@bailiwick/process';
import type { JetStreamManager } from 'nats';

// How full the broker's storage is. Only broker.ts and publications.ts call this.

const refusals = counter(
  {
    name: 'bailiwick_broker_full_total',
    about: 'Messages that the broker refused because its storage is full.',
  },
  {},
);

/** The storage of the account's streams on the broker's disks, in bytes. */
export type BrokerStorage = {
  used: number;
  /** undefined = the account has no limit. The server's own limit is not visible to an account. */
  limit: number | undefined;
};

type Usage = { storage: number; limits: { max_storage: number } };

/** Reads the storage of the account. Of several tiers the fullest counts. */
export async function readStorage(manager: JetStreamManager): Promise<BrokerStorage> {
  const { tiers, ...whole } = await manager.getAccountInfo();
  const [fullest] = Object.values<Usage>(tiers ?? {})
    .filter(({ limits }) => limits.max_storage > 0)
    .sort((a, b) => shareOf(b) - shareOf(a));
  const { storage, limits } = fullest ?? whole;
  return { used: storage, limit: limits.max_storage > 0 ? limits.max_storage : undefined };
}

const shareOf = ({ storage, limits }: Usage): number => storage / limits.max_storage;

/** A message that the broker does not store because there is no room for it. */
export class StorageFull extends Error {
  /** As the file system says it, so that the log repeats the line of each retry seldom. */
  readonly code = 'ENOSPC';
}

/** The limits of the account, of the server, and of the server's disk. */
const fullCodes: ReadonlySet<unknown> = new Set([10_002, 10_023, 10_047]);

/** Whether an answer of the broker says that a limit of bytes or messages is reached. */
export const saysFull = ({ err_code, description }: Refusal): boolean =>
  fullCodes.has(err_code) || /maximum (bytes|messages) exceeded/.test(String(description));

export type Refusal = { err_code?: unknown; description?: unknown };

/** Longer than the pause between two rounds of a relay, which publishes a refused message again. */
const rememberedMs = 60_000;

/**
 * Whether the storage is full, as far as this process knows: its last message was refused for that a
 * moment ago. Another process may have published the message since.
 */
export function createFullness(log: Log) {
  let refusedAt = Number.NEGATIVE_INFINITY;
  const isFull = (): boolean => performance.now() - refusedAt < rememberedMs;

  function stored(): void {
    if (refusedAt === Number.NEGATIVE_INFINITY) return;
    refusedAt = Number.NEGATIVE_INFINITY;
    log.info('the broker stores messages again');
  }
  function failed(error: unknown): void {
    if (!(error instanceof StorageFull)) return;
    refusals.add({});
    if (!isFull())
      log.warn(
        'the storage of the broker is full: changes wait in the database until it is enlarged or freed (docs/runbooks.md, BailiwickBrokerFull)',
        { error },
      );
    refusedAt = performance.now();
  }
  return {
    isFull,
    /** Learns from the outcome of a publication. */
    async watch<T>(publication: Promise<T>): Promise<T> {
      try {
        const result = await publication;
        stored();
        return result;
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
}
