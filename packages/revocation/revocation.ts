import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Broker } from '@bailiwick/events';
import { counter } from '@bailiwick/telemetry';

// Revoked rights end with the reply. Gateways cache principals and permissions for at most
// `leaseMs`, and identity caches introspected tokens. A service that revokes rights signals every
// holder of a cache and replies when each has dropped them; the cache of a holder that does not
// respond expires within that time. Without a broker the service waits that time.

/** The longest time that rights are cached. */
export const leaseMs = 2000;
const heartbeatMs = 500;

const subjects = {
  lease: 'bailiwick.lease',
  revoke: 'bailiwick.revoke',
  ack: 'bailiwick.ack',
} as const;

/** The keys that cached rights depend on: revoking a key drops all entries under it. */
export type RightsKey =
  | `user:${string}`
  | `bot:${string}`
  | `credential:${string}`
  | `tenant:${string}`;

type Revocation = { id: string; keys: readonly RightsKey[] };

/** The revoking side: waits until no process has the revoked rights in its cache. */
export function createRevoker(broker: Broker) {
  const self = randomUUID();
  const leases = new Map<string, number>();
  const waiting = new Map<string, Set<string>>();
  const done = new Map<string, () => void>();
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

  function holders(): Set<string> {
    const now = Date.now();
    for (const [holder, ends] of leases) if (ends < now) leases.delete(holder);
    return new Set(leases.keys());
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
      if (missing?.size === 0) done.get(id)?.();
    }),
  ]);
  // Without the broker every revocation waits the full lease, so a failure here is harmless.
  void ready.then(beginListening, () => {});

  /**
   * Resolves when all caches have dropped the keys. Call it after the commit and before the
   * reply.
   */
  return async (keys: readonly RightsKey[]): Promise<void> => {
    const over = Date.now() + leaseMs;
    // No heartbeats may mean a dead connection that the client has not noticed.
    if (holders().size === 0 && !(await responds(broker)))
      return sleep(Math.max(0, over - Date.now()));
    noteConnection();
    // After listening for a lease, every live holder has been heard; the lease of any other holder
    // has ended.
    const knowsAllAt = broker.isConnected() ? listeningSince + leaseMs : Number.POSITIVE_INFINITY;
    const missing = holders();
    const now = Date.now();
    if (missing.size === 0 && knowsAllAt <= now) return;
    const revocation: Revocation = { id: randomUUID(), keys };
    const acknowledged = new Promise<void>((resolve) => {
      if (missing.size === 0) resolve();
      else done.set(revocation.id, resolve);
    });
    waiting.set(revocation.id, missing);
    broker.signal(subjects.revoke, JSON.stringify(revocation), `${subjects.ack}.${self}`);
    await Promise.race([
      sleep(Math.max(0, over - now)),
      Promise.all([acknowledged, sleep(Math.min(leaseMs, Math.max(0, knowsAllAt - now)))]),
    ]);
    waiting.delete(revocation.id);
    done.delete(revocation.id);
  };
}

/** Whether the broker responds. Signals that it holds for this process arrive before its response. */
const responds = (broker: Broker): Promise<boolean> =>
  broker.reach(leaseMs).then(
    () => true,
    () => false,
  );

/** A cache of rights under a lease: a gateway's principals, identity's introspected tokens. */
export type RightsCache = ReturnType<typeof createRightsCache>;

type Entry = { value: unknown; keys: readonly RightsKey[]; ends: number };

/** Entries in a cache: at 1 to 2 KiB each, at most a hundred megabytes. */
const defaultMaxEntries = 50_000;

const lookUps = counter<{ outcome: 'hit' | 'miss' }>({
  name: 'bailiwick_permission_cache',
  about: 'Look-ups of principals and rights in the cache of a gateway, by outcome.',
});

/**
 * The caching side: caches rights for a lease, and only while it can receive revocations.
 * `isCounted`: the look-ups count in the metric of the gateways' caches.
 */
export function createRightsCache(
  broker: Broker,
  { maxEntries = defaultMaxEntries, isCounted = true } = {},
) {
  const self = randomUUID();
  // Not an lru-cache: a revocation removes entries by their keys while it walks over all of them.
  const entries = new Map<string, Entry>();
  let leaseEnds = 0;
  let revocations = 0;
  let listening = false;

  void broker
    .listen(subjects.revoke, (body, answer) => {
      const { id, keys } = JSON.parse(body) as Revocation;
      revocations++;
      const revoked = new Set<string>(keys);
      for (const [name, { keys: held }] of entries)
        if (held.some((key) => revoked.has(key))) entries.delete(name);
      answer(JSON.stringify({ id, holder: self }));
    })
    .then(
      () => (listening = true),
      () => {},
    );

  // A lease is announced first and counts from before the announcement: the holder's lease ends no
  // later than the services expect.
  async function renew(): Promise<void> {
    const started = Date.now();
    broker.signal(subjects.lease, JSON.stringify({ holder: self, ends: false }));
    await broker.reach(leaseMs);
    if (listening) leaseEnds = started + leaseMs;
  }
  const heart = setInterval(() => void renew().catch(() => {}), heartbeatMs);
  heart.unref();

  return {
    /**
     * Returns the cached value or loads it. The entry depends on the returned keys and never
     * outlives `endsAt` (ms since 1970). A value that has ended is not cached, and errors are not.
     */
    async getOrLoad<T>(
      name: string,
      load: () => Promise<{ value: T; keys: readonly RightsKey[]; endsAt?: number }>,
    ): Promise<T> {
      const now = Date.now();
      const known = entries.get(name);
      const isKnown = known && known.ends > now && leaseEnds > now;
      if (isCounted) lookUps.add({ outcome: isKnown ? 'hit' : 'miss' });
      if (isKnown) return known.value as T;
      const revocationsBefore = revocations;
      const { value, keys, endsAt = Number.POSITIVE_INFINITY } = await load();
      const ends = Math.min(now + leaseMs, endsAt);
      const loadedAt = Date.now();
      // A value that was requested before a revocation may predate it: do not cache it.
      if (revocationsBefore === revocations && leaseEnds > loadedAt && ends > loadedAt) {
        entries.delete(name);
        const oldest = entries.size >= maxEntries ? entries.keys().next().value : undefined;
        if (oldest !== undefined) entries.delete(oldest);
        entries.set(name, { value, keys, ends });
      }
      return value;
    },
    /** Ends the lease at once. */
    close(): void {
      clearInterval(heart);
      leaseEnds = 0;
      entries.clear();
      broker.signal(subjects.lease, JSON.stringify({ holder: self, ends: true }));
    },
  };
}
