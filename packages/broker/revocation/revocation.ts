import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { counter } from '@bailiwick/process';
import { LRUCache } from 'lru-cache';
import type { Broker } from '../broker.ts';
import type { Revocation, RightsKey } from './keys.ts';
import { createLease, leaseMs, subjects } from './lease.ts';
import { testVerifier } from './verify.ts';

// Revoked rights end with the reply. Gateways cache principals and permissions for at most
// `leaseMs`, identity caches introspected tokens and accounts, and access caches what decisions
// depend on. A service that revokes rights signals every holder of a cache and replies when each has
// dropped them; the cache of a holder that does not respond expires within that time. Without a
// broker the service waits that time.

/**
 * Resolves when all caches have dropped the keys, and no change that rests on them is being
 * committed. `cause`: the call that revokes, whose own changes go on.
 */
export type Revoke = (keys: readonly RightsKey[], cause?: string) => Promise<void>;

/** The revoking side: waits until no process has the revoked rights in its cache. */
export function createRevoker(broker: Broker): Revoke {
  const self = randomUUID();
  const leases: Leases = new Map();
  const waiting = new Map<string, Set<string>>();
  const resolvers = new Map<string, () => void>();
  let connection: number | undefined;
  let listeningSince = Number.POSITIVE_INFINITY;

  /** Leases heard over an earlier connection do not show the leases made since. */
  function noteConnection(): void {
    if (connection === undefined || broker.connections() === connection) return;
    beginListening();
  }

  function beginListening(): void {
    connection = broker.connections();
    listeningSince = Date.now();
  }

  const ready = Promise.all([
    broker.listen(subjects.lease, (body) => {
      const { holder, ends } = JSON.parse(body) as { holder: string; ends: boolean };
      noteConnection();
      if (ends) leases.delete(holder);
      else leases.set(holder, Date.now() + leaseMs);
    }),
    broker.listen(`${subjects.ack}.${self}`, (body) => {
      const { id, holder } = JSON.parse(body) as { id: string; holder: string };
      const missing = waiting.get(id);
      missing?.delete(holder);
      if (missing?.size === 0) resolvers.get(id)?.();
    }),
  ]);
  // Without the broker every revocation waits the full lease, so a failure here is harmless.
  void ready.then(beginListening, () => {});

  // Called after the commit and before the reply.
  return async (keys, cause = '') => {
    const began = Date.now();
    const over = began + leaseMs;
    // A lease may have begun a moment ago, or this process stood still and has not read the last
    // heartbeats. It has once the broker responds. Without a response the connection is dead.
    if (!(await responds(broker))) return sleep(Math.max(0, over - Date.now()));
    noteConnection();
    // After listening for a lease, every live holder has been heard; the lease of any other holder
    // has ended.
    const knowsAllAt = broker.isConnected() ? listeningSince + leaseMs : Number.POSITIVE_INFINITY;
    const missing = holdersAt(leases, began);
    const now = Date.now();
    const revocation: Revocation = { id: randomUUID(), keys, cause };
    const signal = () =>
      broker.signal(subjects.revoke, JSON.stringify(revocation), `${subjects.ack}.${self}`);
    // Followers without a cache hear of the revocation too.
    if (missing.size === 0 && knowsAllAt <= now) return signal();
    const acknowledged = new Promise<void>((resolve) => {
      if (missing.size === 0) resolve();
      else resolvers.set(revocation.id, resolve);
    });
    waiting.set(revocation.id, missing);
    signal();
    // A broker's cluster may lose a signal between two of its servers.
    const again = setInterval(signal, leaseMs / 4);
    await Promise.race([
      sleep(Math.max(0, over - now)),
      Promise.all([acknowledged, sleep(Math.min(leaseMs, Math.max(0, knowsAllAt - now)))]),
    ]);
    clearInterval(again);
    waiting.delete(revocation.id);
    resolvers.delete(revocation.id);
  };
}

/** When the lease of each holder ends, in ms since 1970. */
type Leases = Map<string, number>;

/** Drops the leases that have ended at this time, and gives the holders of the others. */
function holdersAt(leases: Leases, time: number): Set<string> {
  for (const [holder, ends] of leases) if (ends < time) leases.delete(holder);
  return new Set(leases.keys());
}

/** Whether the broker responds. Signals that it holds for this process arrive before its response. */
const responds = (broker: Broker): Promise<boolean> =>
  broker.reach(leaseMs).then(
    () => true,
    () => false,
  );

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
  /** Its share of the cache's size; 1 by default. */
  size?: number;
};

type Entry = { value: unknown; keys: readonly RightsKey[]; ends: number; size: number };

/** Entries of size 1: at 1 to 2 KiB each, at most a hundred megabytes. */
const defaultMaxSize = 50_000;

const lookUps = counter<{ outcome: 'hit' | 'miss' }>({
  name: 'bailiwick_permission_cache',
  about: 'Look-ups of principals and rights in the cache of a gateway, by outcome.',
});

/**
 * The caching side: caches rights for a lease, and only while it can receive revocations. The lease
 * begins with a look-up and is renewed while there are some. The least recently used entries go
 * first. `isCounted`: the look-ups count in the metric of the gateways' caches.
 */
export function createRightsCache(
  broker: Broker,
  { maxSize = defaultMaxSize, isCounted = true } = {},
) {
  const self = randomUUID();
  const entries = createEntries(maxSize);
  const verifier = testVerifier();
  let revocations = 0;
  // Services did not wait for this holder since its last lease ended: values from before this one,
  // and values that are still loading, may be revoked.
  const lease = createLease(broker, self, () => {
    revocations++;
    entries.clear();
  });

  void broker
    .listen(subjects.revoke, (body, answer) => {
      const { id, keys } = JSON.parse(body) as Revocation;
      revocations++;
      entries.revoke(keys);
      verifier?.revoked(keys);
      answer(JSON.stringify({ id, holder: self }));
    })
    .then(lease.allow, () => {});

  return {
    /**
     * Returns the cached value or loads it. The entry depends on the returned keys and never
     * outlives `lastsMs`. A value that has ended is not cached, and errors are not.
     */
    async getOrLoad<T>(name: string, load: () => Promise<Loaded<T>>): Promise<T> {
      const now = Date.now();
      lease.use(now);
      const entry = lease.holds(now) ? entries.get(name) : undefined;
      const isKnown = entry !== undefined && entry.ends > now;
      if (isCounted) lookUps.add({ outcome: isKnown ? 'hit' : 'miss' });
      if (isKnown) {
        const isHeld = () => entries.get(name) === entry;
        await verifier?.compare(name, entry, load, isHeld);
        // A verifier waits: the value may have been revoked meanwhile, and the revoking call answered.
        if (!verifier || isHeld()) return entry.value as T;
      }
      const revocationsBefore = revocations;
      const { value, keys, lastsMs, size = 1 } = await load();
      const ends = now + Math.min(leaseMs, lastsMs);
      const loadedAt = Date.now();
      // A value that was requested before a revocation may predate it: do not cache it.
      const isCurrent = revocationsBefore === revocations && lease.hasBegun(now);
      if (isCurrent && lease.holds(loadedAt) && ends > loadedAt)
        entries.set(name, { value, keys, ends, size });
      return value;
    },
    /** Ends the lease at once. */
    close(): void {
      lease.end();
      entries.clear();
      broker.signal(subjects.lease, JSON.stringify({ holder: self, ends: true }));
    },
  };
}

/** Entries by name, found by their keys too: a revocation costs as much as it removes. */
function createEntries(maxSize: number) {
  const namesByKey = new Map<RightsKey, Set<string>>();
  const entries = new LRUCache<string, Entry>({
    maxSize,
    sizeCalculation: ({ size }) => size,
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
      entries.set(name, entry);
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
    clear: (): void => entries.clear(),
  };
}
