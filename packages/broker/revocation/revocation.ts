import { randomUUID } from 'node:crypto';
import type { Host } from '@bailiwick/contract';
import { counter, shareOfHeap } from '@bailiwick/process';
import { LRUCache } from 'lru-cache';
import type { Broker } from '../broker.ts';
import type { Revocation, RightsKey } from './keys.ts';
import { createLease, leaseMs, subjects } from './lease.ts';
import { createLogLeases } from './log-leases.ts';
import { type RevocationLogs, revokersOfAll } from './logs.ts';
import { isWithin, type Moment, present } from './moment.ts';
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

type Entry = {
  value: unknown;
  keys: readonly RightsKey[];
  /** The services that can revoke it. */
  revokers: readonly Host[];
  requestedAt: Moment;
  /** How long it may be used after that. */
  lastsMs: number;
  bytes: number;
};

/** What principals and rights take with their keys, measured in the heap. */
const defaultBytes = 2048;

const lookUps = counter<{ outcome: 'hit' | 'miss' }>({
  name: 'bailiwick_permission_cache',
  about: 'Look-ups of principals and rights in the cache of a gateway, by outcome.',
});

/** The loads under way: a value that was requested before a revocation may predate it. */
function createLoads() {
  type Load = { revoked: Set<RightsKey>; isLost: boolean };
  const loads = new Set<Load>();
  return {
    begin(): Load {
      const load = { revoked: new Set<RightsKey>(), isLost: false };
      loads.add(load);
      return load;
    },
    revoke(keys: readonly RightsKey[]): void {
      for (const { revoked } of loads) for (const key of keys) revoked.add(key);
    },
    /** Notes that revocations may have passed unheard. */
    lose(): void {
      for (const load of loads) load.isLost = true;
    },
    end: (load: Load): void => void loads.delete(load),
    /** Whether no revocation came between that may have ended a value under these keys. */
    isCurrent: ({ revoked, isLost }: Load, keys: readonly RightsKey[]): boolean =>
      !isLost && keys.every((key) => !revoked.has(key)),
  };
}

/** The leases of a holder: it uses its values while they hold. */
function createHold(
  broker: Broker,
  logs: RevocationLogs,
  entries: ReturnType<typeof createEntries>,
  incompleteMs: number,
) {
  const self = randomUUID();
  const verifier = testVerifier();
  const loads = createLoads();
  // Services did not wait for this holder since its last lease ended: values from before this one,
  // and values that are still loading, may be revoked.
  const lease = createLease(broker, self, () => {
    loads.lose();
    entries.clear();
  });
  const logLeases = createLogLeases({
    broker,
    holder: self,
    logs,
    incompleteMs,
    onRevoked(keys, service) {
      revoke(keys as RightsKey[]);
      verifier?.logged(service, keys as RightsKey[]);
    },
    onLost(service) {
      loads.lose();
      entries.drop(service);
    },
  });

  function revoke(keys: readonly RightsKey[]): void {
    loads.revoke(keys);
    entries.revoke(keys);
    verifier?.revoked(keys);
  }

  function allow(): void {
    lease.allow();
    logLeases.allow();
  }

  void broker
    .listen(subjects.revoke, (body, answer) => {
      const { id, keys } = JSON.parse(body) as Revocation;
      revoke(keys);
      answer(JSON.stringify({ id, holder: self }));
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
};

/**
 * The caching side: caches rights only while it can receive revocations. The lease
 * begins with a look-up and is renewed while there are some. The least recently used entries go
 * first. `logs`: those that it can follow; a value that another service can revoke is not cached.
 */
export function createRightsCache(
  broker: Broker,
  logs: RevocationLogs,
  { maxBytes = shareOfHeap(1 / 8), isCounted = true, ...rules }: CacheOptions = {},
) {
  const entries = createEntries(maxBytes, rules.holdsSecrets === true);
  const hold = createHold(broker, logs, entries, rules.incompleteMs ?? leaseMs);
  const { lease, logLeases, loads, verifier, self } = hold;

  /** Whether an entry may be used: no service replies to a revocation before this holder drops it. */
  const isUsable = ({ revokers, requestedAt, lastsMs }: Entry, now: Moment): boolean =>
    isWithin(Math.min(lastsMs, logLeases.usableMs(revokers)), requestedAt, now) &&
    lease.holds(now.wall) &&
    logLeases.hold(revokers, now);

  return {
    /**
     * Returns the cached value or loads it. The entry depends on the returned keys and never
     * outlives `lastsMs`. A value that has ended is not cached, and errors are not.
     */
    async getOrLoad<T>(name: string, load: () => Promise<Loaded<T>>): Promise<T> {
      const now = present();
      lease.use(now.wall);
      const entry = entries.get(name);
      if (entry) logLeases.use(entry.revokers, now);
      const isKnown = entry !== undefined && isUsable(entry, now);
      if (isCounted) lookUps.add({ outcome: isKnown ? 'hit' : 'miss' });
      if (isKnown) {
        const isHeld = () => entries.get(name) === entry && isUsable(entry, present());
        await verifier?.compare(name, entry, load, isHeld);
        // A verifier waits: the value may have been revoked meanwhile, and the revoking call answered.
        if (!verifier || isHeld()) return entry.value as T;
      }
      const loading = loads.begin();
      try {
        const { value, keys, lastsMs, bytes = defaultBytes } = await load();
        const loadedAt = present();
        const revokers = revokersOfAll(keys);
        logLeases.use(revokers, loadedAt);
        const usableMs = Math.min(lastsMs, logLeases.usableMs(revokers));
        const candidate: Entry = {
          value,
          keys,
          revokers,
          requestedAt: now,
          lastsMs: usableMs,
          bytes,
        };
        const isCurrent =
          loads.isCurrent(loading, keys) &&
          lease.hasBegun(now.wall) &&
          logLeases.hadBegun(revokers, now);
        if (isCurrent && isUsable(candidate, loadedAt)) entries.set(name, candidate);
        return value;
      } finally {
        loads.end(loading);
      }
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

/** Entries by name, found by their keys too: a revocation costs as much as it removes. */
function createEntries(maxBytes: number, holdsSecrets: boolean) {
  const namesByKey = new Map<RightsKey, Set<string>>();
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    ttlAutopurge: holdsSecrets,
    dispose: ({ keys }, name) => {
      for (const key of keys) {
        const names = namesByKey.get(key);
        names?.delete(name);
        if (names?.size === 0) namesByKey.delete(key);
      }
    },
  });
  return {
    get: (name: string): Entry | undefined => entries.get(name),
    set(name: string, entry: Entry): void {
      entries.set(name, entry, holdsSecrets ? { ttl: Math.ceil(entry.lastsMs) } : {});
      // An entry that is larger than the cache is not kept.
      if (entries.peek(name) !== entry) return;
      for (const key of entry.keys) {
        const names = namesByKey.get(key);
        if (names) names.add(name);
        else namesByKey.set(key, new Set([name]));
      }
    },
    revoke(keys: readonly RightsKey[]): void {
      for (const key of keys) for (const name of namesByKey.get(key) ?? []) entries.delete(name);
    },
    /** Drops what the service can revoke. */
    drop(service: Host): void {
      for (const [name, { revokers }] of entries)
        if (revokers.includes(service)) entries.delete(name);
    },
    clear: (): void => entries.clear(),
  };
}
