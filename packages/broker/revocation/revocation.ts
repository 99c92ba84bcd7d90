import { randomUUID } from 'node:crypto';
import type { Host } from '@bailiwick/contract';
import { counter, shareOfHeap } from '@bailiwick/process';
import type { Broker } from '../broker.ts';
import { createEntries, type Entry } from './entries.ts';
import type { Acknowledgement, Revocation, RightsKey } from './keys.ts';
import { createLease, leaseMs, subjects } from './lease.ts';
import { createLoads } from './loads.ts';
import { createLogLeases } from './log-leases.ts';
import { type RevocationLogs, revokersOfAll } from './logs.ts';
import { elapsedMs, isWithin, type Moment, present } from './moment.ts';
import { testVerifier } from './verify.ts';

// Revoked rights end with the reply. Gateways cache principals and permissions for at most
// `entryMs`, identity caches introspected tokens and accounts, access caches what decisions depend
// on, and sso the answers to its issuer. The database makes a revocation true: the change writes its
// keys to a log, and a holder of a cache uses its values only while it follows the log. The broker
// makes it fast: the service signals every holder and replies when each has dropped the keys, or when
// the lease of a holder that does not respond has ended.

/**
 * Calls `handle` with the keys of each revocation, for work that follows from it. A signal that the
 * broker loses is not repeated.
 */
export function followRevocations(
  broker: Broker,
  handle: (keys: readonly RightsKey[]) => void,
): void {
  void broker
    .listen(subjects.revoke, (body) => handle((JSON.parse(body) as Revocation).keys))
    .catch(() => {});
}

/**
 * A cache of rights under a lease: a gateway's principals, identity's tokens and accounts, access's
 * decisions.
 */
export type RightsCache = ReturnType<typeof createRightsCache>;

/** A loaded value and the keys that it depends on. */
export type Loaded<T> = {
  value: T;
  keys: readonly RightsKey[];
  /**
   * How long the value stays the same without a revocation, in ms from the beginning of its load;
   * Infinity = always, `leaseMs` = for a lease. A duration, since the clock of the database differs
   * from this one.
   */
  lastsMs: number;
  /** About as many bytes as it takes in memory, with its keys. */
  bytes?: number;
};

/** What principals and rights take with their keys, measured in the heap. */
const defaultBytes = 2048;

const lookUps = counter<{ outcome: 'hit' | 'miss' }>({
  name: 'bailiwick_permission_cache',
  about: 'Look-ups of principals and rights in the cache of a gateway, by outcome.',
});

/** How many borrowers have dropped their copies, and of how many the lease was waited out. */
export type Released = { followers: number; followersWaited: number };

/** Other processes that use copies of the values of a cache, for as long as its leases hold. */
export type Borrowers = {
  /**
   * Takes back the copies that depend on these keys. Resolves once none of them can be used any
   * more. Undefined = no copy depends on them.
   */
  revoke(keys: readonly RightsKey[]): Promise<Released> | undefined;
  /** Takes back the copies that this service can revoke: revocations may have passed unheard. */
  drop(service: Host): void;
  /** Takes back all copies. */
  clear(): void;
};

const noBorrowers: Borrowers = { revoke: () => undefined, drop: () => {}, clear: () => {} };

type HoldOptions = { incompleteMs: number; borrowers: Borrowers };

/** The leases of a holder: it uses its values while they hold. */
function createHold(
  broker: Broker,
  logs: RevocationLogs,
  entries: ReturnType<typeof createEntries>,
  { incompleteMs, borrowers }: HoldOptions,
) {
  const self = randomUUID();
  const verifier = testVerifier();
  const loads = createLoads();
  // Services did not wait for this holder since its last lease ended: values from before this one,
  // and values that are still loading, may be revoked.
  const lease = createLease(broker, self, () => {
    loads.lose();
    entries.clear();
    borrowers.clear();
  });
  const logLeases = createLogLeases({
    broker,
    holder: self,
    logs,
    incompleteMs,
    onRevoked(keys, service) {
      // Not awaited: a borrower hears of this before its lease can follow the one that is renewed.
      void revoke(keys as RightsKey[]);
      verifier?.logged(service, keys as RightsKey[]);
    },
    onLost(service) {
      loads.lose();
      entries.drop(service);
      borrowers.drop(service);
    },
  });

  /** Resolves once the borrowers have dropped their copies; undefined = at once. */
  function revoke(keys: readonly RightsKey[]): Promise<Released> | undefined {
    loads.revoke(keys);
    entries.revoke(keys);
    verifier?.revoked(keys);
    return borrowers.revoke(keys);
  }

  function allow(): void {
    lease.allow();
    logLeases.allow();
  }

  void broker
    .listen(subjects.revoke, (body, answer) => {
      const { id, keys } = JSON.parse(body) as Revocation;
      const acknowledge = (released?: Released) => {
        const holder = { id, holder: self, name: broker.name, kind: 'cache' } as const;
        const acknowledgement: Acknowledgement = { ...holder, ...released };
        answer(JSON.stringify(acknowledgement));
      };
      const release = revoke(keys);
      if (release) void release.then(acknowledge);
      else acknowledge();
    })
    .then(allow, () => {});

  return { lease, logLeases, loads, verifier, self };
}

type CacheOptions = {
  /** The limit of its entries together. */
  maxBytes?: number;
  /** Whether the look-ups count in the metric of the gateways' caches. */
  isCounted?: boolean;
  /** Whether an entry leaves the memory when its time ends, also in a process without look-ups. */
  holdsSecrets?: boolean;
  /**
   * How long values are used while a log may be incomplete: a lease, if processes of the previous
   * version signal their revocations, and 0 otherwise.
   */
  incompleteMs?: number;
  /** Those who may use copies of its values. */
  borrowers?: Borrowers;
};

/** The keys and the time of a copy of a value. */
export type LoanTerms = {
  keys: readonly RightsKey[];
  /** How long the value stays the same without a revocation, in ms from now. */
  lastsMs: number;
};

/** The entries of a holder, and whether they may be used. */
function createKeeper(
  broker: Broker,
  logs: RevocationLogs,
  {
    maxBytes = shareOfHeap(1 / 8),
    holdsSecrets = false,
    incompleteMs = leaseMs,
    borrowers = noBorrowers,
  }: CacheOptions,
) {
  const entries = createEntries(maxBytes, holdsSecrets);
  const hold = createHold(broker, logs, entries, { incompleteMs, borrowers });
  const { lease, logLeases, loads } = hold;

  /** Whether an entry may be used: no service replies to a revocation before this holder drops it. */
  const isUsable = ({ revokers, requestedAt, lastsMs }: Entry, now: Moment): boolean =>
    isWithin(Math.min(lastsMs, logLeases.usableMs(revokers)), requestedAt, now) &&
    lease.holds(now.wall) &&
    logLeases.hold(revokers, now);

  /** Loads a value, and keeps it if it is current. */
  async function loadEntry<T>(name: string, now: Moment, load: () => Promise<Loaded<T>>) {
    const loading = loads.begin();
    try {
      const { value, keys, lastsMs, bytes = defaultBytes } = await load();
      const loadedAt = present();
      const revokers = revokersOfAll(keys);
      logLeases.use(revokers, loadedAt);
      const usableMs = Math.min(lastsMs, logLeases.usableMs(revokers));
      const entry: Entry = { value, keys, revokers, requestedAt: now, lastsMs: usableMs, bytes };
      const isCurrent =
        loads.isCurrent(loading, keys) &&
        lease.hasBegun(now.wall) &&
        logLeases.hadBegun(revokers, now) &&
        isUsable(entry, loadedAt);
      if (isCurrent) entries.set(name, entry);
      return { entry, isCurrent };
    } finally {
      loads.end(loading);
    }
  }

  /** The entry if it may be used. Notes the use. */
  function findUsable(name: string, now: Moment): Entry | undefined {
    lease.use(now.wall);
    const entry = entries.get(name);
    if (entry) logLeases.use(entry.revokers, now);
    return entry && isUsable(entry, now) ? entry : undefined;
  }

  const isHeld = (name: string, entry: Entry): boolean =>
    entries.get(name) === entry && isUsable(entry, present());

  return { ...hold, entries, loadEntry, findUsable, isHeld };
}

/**
 * The caching side: caches rights only while it can receive revocations. The lease
 * begins with a look-up and is renewed while there are some. The least recently used entries go
 * first. `logs`: those that it can follow; a value that another service can revoke is not cached.
 */
export function createRightsCache(
  broker: Broker,
  logs: RevocationLogs,
  options: CacheOptions = {},
) {
  const { isCounted = true } = options;
  const keeper = createKeeper(broker, logs, options);
  const { entries, lease, logLeases, verifier, self, loadEntry, findUsable, isHeld } = keeper;

  return {
    /**
     * Returns the cached value or loads it. The entry depends on the returned keys and never
     * outlives `lastsMs`. A value that has ended is not cached, and errors are not.
     */
    async getOrLoad<T>(name: string, load: () => Promise<Loaded<T>>): Promise<T> {
      const now = present();
      const entry = findUsable(name, now);
      if (isCounted) lookUps.add({ outcome: entry ? 'hit' : 'miss' });
      if (entry) {
        await verifier?.compare(name, entry, load, () => isHeld(name, entry));
        // A verifier waits: the value may have been revoked meanwhile, and the revoking call answered.
        if (!verifier || isHeld(name, entry)) return entry.value as T;
      }
      return (await loadEntry(name, now, load)).entry.value as T;
    },
    /**
     * Lends a value to a borrower. `register` notes the copy, in the same turn in which the value is
     * known to be current: from then on a revocation reaches the borrower. Undefined = the value
     * cannot be lent now, because it was revoked meanwhile or a lease does not hold.
     */
    async lend<T, R>(
      name: string,
      load: () => Promise<Loaded<T>>,
      register: (value: T, loan: LoanTerms) => R,
    ): Promise<R | undefined> {
      const now = present();
      const lendEntry = ({ value, keys, requestedAt, lastsMs }: Entry): R => {
        const leftMs = lastsMs - elapsedMs(requestedAt, present());
        return register(value as T, { keys, lastsMs: leftMs });
      };
      const known = findUsable(name, now);
      if (known) return lendEntry(known);
      const { entry, isCurrent } = await loadEntry(name, now, load);
      // A revocation may have come since the load ended, and the borrower would not hear of it.
      return isCurrent && isHeld(name, entry) ? lendEntry(entry) : undefined;
    },
    /**
     * How long the leases in the logs of these services hold without a renewal, in ms; 0 = they do
     * not. Notes the use.
     */
    leaseLeftMs(services: readonly Host[]): number {
      const now = present();
      lease.use(now.wall);
      logLeases.use(services, now);
      return Math.max(0, Math.min(lease.leftMs(now.wall), logLeases.leftMs(services, now)));
    },
    /** Ends the lease at once. */
    close(): void {
      lease.end();
      logLeases.end();
      entries.clear();
      broker.signal(subjects.lease, JSON.stringify({ holder: self, ends: true }));
    },
  };
}
