import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@bailiwick/contract';
import type { Broker } from '../broker.ts';
import type { Revocation, RightsKey } from './keys.ts';
import { leaseMs, subjects } from './lease.ts';

// The revoking side. A holder of cached rights has a lease by the broker, by its row in the log of
// the revoking service, or by both. A revocation waits for all of them, and for no lease longer than
// it lasts.

/** A timer may fire a moment too early. */
const waitMs = leaseMs + 5;

/**
 * Resolves when all caches have dropped the keys, and no change that rests on them is being
 * committed. `cause`: the call that revokes, whose own changes go on.
 */
export type Revoke = (keys: readonly RightsKey[], cause?: string) => Promise<void>;

/** The holders in the log of the revoking service. */
export type Holders = {
  /** Those who may have a lease. */
  fresh: () => Promise<string[]>;
  /** Notes those who did not acknowledge: revocations do not wait for them for half a minute. */
  markDeaf: (ids: readonly string[]) => Promise<void>;
};

/** The leases that this process hears of. */
function createHearing(broker: Broker, onEnd: (holder: string) => void) {
  /** When the lease of each holder ends, in ms since 1970. */
  const leases = new Map<string, number>();
  /** Holders that have ended their leases, and until when their rows may look fresh. */
  const endedHolders = new Map<string, number>();
  let connection: number | undefined;
  let since = Number.POSITIVE_INFINITY;

  function begin(): void {
    connection = broker.connections();
    since = Date.now();
  }

  /** Leases heard over an earlier connection do not show the leases made since. */
  function noteConnection(): void {
    if (connection === undefined || broker.connections() === connection) return;
    begin();
  }

  const listening = broker.listen(subjects.lease, (body) => {
    const { holder, ends } = JSON.parse(body) as { holder: string; ends: boolean };
    noteConnection();
    if (!ends) return void leases.set(holder, Date.now() + leaseMs);
    leases.delete(holder);
    dropOld(endedHolders, Date.now());
    endedHolders.set(holder, Date.now() + 2 * leaseMs);
    onEnd(holder);
  });

  return {
    listening,
    begin,
    noteConnection,
    /** When every live holder has been heard; the lease of any other has ended. */
    knowsAllAt: (): number => (broker.isConnected() ? since + leaseMs : Number.POSITIVE_INFINITY),
    /** The holders at this time. `rows`: those of the log. */
    holders(time: number, rows: readonly string[]): Set<string> {
      dropOld(leases, time);
      return new Set([...leases.keys(), ...rows.filter((id) => !endedHolders.has(id))]);
    },
  };
}

/** The revocations that wait for holders. */
function createWaiting() {
  const waiting = new Map<string, { missing: Set<string>; resolve: () => void }>();
  function acknowledge(id: string, holder: string): void {
    const revocation = waiting.get(id);
    revocation?.missing.delete(holder);
    if (revocation?.missing.size === 0) revocation.resolve();
  }
  return {
    acknowledge,
    /** A holder without a lease has dropped everything. */
    endHolder: (holder: string): void => {
      for (const id of waiting.keys()) acknowledge(id, holder);
    },
    add(id: string, missing: Set<string>): Promise<void> {
      if (missing.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(id, { missing, resolve });
      return promise;
    },
    delete: (id: string): void => void waiting.delete(id),
  };
}

/** The revoking side: waits until no process has the revoked rights in its cache. */
export function createRevoker(broker: Broker, holders: Holders): Revoke {
  const self = randomUUID();
  const waiting = createWaiting();
  const hearing = createHearing(broker, waiting.endHolder);
  const ready = Promise.all([
    hearing.listening,
    broker.listen(`${subjects.ack}.${self}`, (body) => {
      const { id, holder } = JSON.parse(body) as { id: string; holder: string };
      waiting.acknowledge(id, holder);
    }),
  ]);
  // Without the broker every revocation waits the full lease, so a failure here is harmless.
  void ready.then(hearing.begin, () => {});

  // Called after the commit and before the reply.
  return async (keys, cause = '') => {
    const began = Date.now();
    const startedAt = performance.now();
    const remainingMs = () => Math.max(0, waitMs - (performance.now() - startedAt));
    // A lease may have begun a moment ago, or this process stood still and has not read the last
    // heartbeats. It has once the broker responds. Without a response the connection is dead, and
    // without the rows holders may be unknown.
    const [isReached, rows] = await Promise.all([responds(broker), freshIn(holders)]);
    if (!isReached || !rows) return sleep(remainingMs());
    hearing.noteConnection();
    const knowsAllAt = hearing.knowsAllAt();
    const missing = hearing.holders(began, rows);
    const now = Date.now();
    const revocation: Revocation = { id: randomUUID(), keys, cause };
    const signal = () =>
      broker.signal(subjects.revoke, JSON.stringify(revocation), `${subjects.ack}.${self}`);
    // Followers without a cache hear of the revocation too.
    if (missing.size === 0 && knowsAllAt <= now) return signal();
    const acknowledgement = waiting.add(revocation.id, missing);
    const timeToAnswer = remainingMs();
    signal();
    // A broker's cluster may lose a signal between two of its servers.
    const again = setInterval(signal, leaseMs / 4);
    const silence = sleep(Math.min(leaseMs, Math.max(0, knowsAllAt - now)));
    await within(remainingMs(), Promise.all([acknowledgement, silence]));
    clearInterval(again);
    waiting.delete(revocation.id);
    const deaf = rows.filter((id) => missing.has(id));
    // Rows that came late leave the holders no time to answer.
    if (deaf.length > 0 && timeToAnswer > leaseMs / 2) void holders.markDeaf(deaf).catch(() => {});
  };
}

/** The holders in the log; undefined if they cannot be read in time. */
const freshIn = (holders: Holders): Promise<string[] | undefined> =>
  within(
    leaseMs,
    holders.fresh().catch(() => undefined),
  );

/** Drops what has ended at this time. */
function dropOld(ends: Map<string, number>, time: number): void {
  for (const [holder, end] of ends) if (end < time) ends.delete(holder);
}

/** Whether the broker responds. Signals that it holds for this process arrive before its response. */
const responds = (broker: Broker): Promise<boolean> =>
  broker.reach(leaseMs).then(
    () => true,
    () => false,
  );
