import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@bailiwick/contract';
import type { Broker } from '../broker.ts';
import type { Acknowledgement, HolderKind, Revocation, RightsKey } from './keys.ts';
import { leaseMs, subjects } from './lease.ts';

// The revoking side. A holder of cached rights has a lease by the broker, by its row in the log of
// the revoking service, or by both. A revocation waits for all of them, and for no lease longer than
// it lasts.

/** A timer may fire a moment too early. */
const waitMs = leaseMs + 5;

/**
 * Resolves when all caches have dropped the keys, and no change that rests on them is being
 * committed. `cause`: the call that revokes, whose own changes go on. Returns the holders that it
 * knew of.
 */
export type Revoke = (keys: readonly RightsKey[], cause?: string) => Promise<HolderReport[]>;

/**
 * How a holder let go of the keys. dropped: it has said so. ended: it has ended its lease. waited: it
 * has said nothing until its lease was over; `holder` is empty if holders could not be listed.
 */
export type HolderReport = {
  holder: string;
  state: 'dropped' | 'ended' | 'waited';
  /** The process; '' = unknown, as of an earlier version. */
  name: string;
  kind: HolderKind;
  /** The followers for which it spoke: those that have dropped the keys, and those waited out. */
  followers: number;
  followersWaited: number;
};

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
  type Waiting = { missing: Set<string>; reports: Map<string, HolderReport>; resolve: () => void };
  const waiting = new Map<string, Waiting>();
  function report(id: string, holder: HolderReport): void {
    const revocation = waiting.get(id);
    if (!revocation || revocation.reports.has(holder.holder)) return;
    revocation.missing.delete(holder.holder);
    revocation.reports.set(holder.holder, holder);
    if (revocation.missing.size === 0) revocation.resolve();
  }
  return {
    acknowledge: ({
      id,
      holder,
      name = '',
      kind = 'cache',
      followers = 0,
      followersWaited = 0,
    }: Acknowledgement): void =>
      report(id, { holder, state: 'dropped', name, kind, followers, followersWaited }),
    /** A holder without a lease has dropped everything. */
    endHolder: (holder: string): void => {
      for (const [id, { missing }] of waiting)
        if (missing.has(holder)) report(id, unheard(holder, 'ended'));
    },
    add(id: string, missing: Set<string>): { all: Promise<void>; reports: Waiting['reports'] } {
      const { promise: all, resolve } = Promise.withResolvers<void>();
      const reports: Waiting['reports'] = new Map();
      waiting.set(id, { missing, reports, resolve });
      if (missing.size === 0) resolve();
      return { all, reports };
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
      waiting.acknowledge(JSON.parse(body) as Acknowledgement);
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
    if (!isReached || !rows) return sleep(remainingMs(), [unheard('', 'waited')]);
    hearing.noteConnection();
    const knowsAllAt = hearing.knowsAllAt();
    const missing = hearing.holders(began, rows);
    const now = Date.now();
    const revocation: Revocation = { id: randomUUID(), keys, cause };
    const signal = () =>
      broker.signal(subjects.revoke, JSON.stringify(revocation), `${subjects.ack}.${self}`);
    // Followers without a cache hear of the revocation too.
    if (missing.size === 0 && knowsAllAt <= now) {
      signal();
      return [];
    }
    const { all, reports } = waiting.add(revocation.id, missing);
    const timeToAnswer = remainingMs();
    signal();
    // A broker's cluster may lose a signal between two of its servers.
    const again = setInterval(signal, leaseMs / 4);
    const silence = sleep(Math.min(leaseMs, Math.max(0, knowsAllAt - now)));
    await within(remainingMs(), Promise.all([all, silence]));
    clearInterval(again);
    waiting.delete(revocation.id);
    const deaf = rows.filter((id) => missing.has(id));
    // Rows that came late leave the holders no time to answer. A gateway may need most of a lease, until
    // that of a follower that does not answer is over.
    if (deaf.length > 0 && timeToAnswer > 0.9 * leaseMs)
      void holders.markDeaf(deaf).catch(() => {});
    return [...reports.values(), ...[...missing].map((holder) => unheard(holder, 'waited'))];
  };
}

/** A holder that said nothing about itself. */
const unheard = (holder: string, state: HolderReport['state']): HolderReport => ({
  holder,
  state,
  name: '',
  kind: 'cache',
  followers: 0,
  followersWaited: 0,
});

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
