import { LRUCache } from 'lru-cache';

type Options = { size: number; lifetimeMs: number; onHit?: () => void };

/** TTL cache with a size limit, evicting the oldest entry. Failures are not cached. */
export function createCache<Value>({ size, lifetimeMs, onHit }: Options) {
  // Expired entries leave by themselves: some are keys, which must not stay in memory.
  const entries = new LRUCache<string, Promise<Value>>({
    max: size,
    ttl: lifetimeMs,
    ttlAutopurge: true,
  });

  return {
    getOrLoad(key: string, load: () => Promise<Value>): Promise<Value> {
      // A look-up does not make an entry newer.
      const entry = entries.peek(key);
      if (entry) {
        onHit?.();
        return entry;
      }
      const promise = load();
      entries.set(key, promise);
      // Unless the entry was replaced in the meantime.
      promise.catch(() => entries.peek(key) === promise && entries.delete(key));
      return promise;
    },
    /** Removes an entry, also one that is still loading. */
    forget: (key: string): void => void entries.delete(key),
    /** Removes all entries whose key matches. */
    forgetWhere(matches: (key: string) => boolean): void {
      for (const key of [...entries.keys()].filter(matches)) entries.delete(key);
    },
  };
}
