type Options = { size: number; lifetimeMs: number; now?: () => number; onHit?: () => void };

/** TTL cache with a size limit, evicting the oldest entry. Failures are not cached. */
export function createCache<Value>({ size, lifetimeMs, now = Date.now, onHit }: Options) {
  const entries = new Map<string, { value: Promise<Value>; until: number }>();
  // The map is in insertion order, so expired entries come first. They are dropped without waiting
  // for a look-up.
  function dropExpired(): void {
    for (const [key, { until }] of entries) {
      if (until > now()) return;
      entries.delete(key);
    }
  }

  return {
    getOrLoad(key: string, load: () => Promise<Value>): Promise<Value> {
      dropExpired();
      const held = entries.get(key);
      if (held && held.until > now()) {
        onHit?.();
        return held.value;
      }
      const value = load();
      entries.delete(key);
      entries.set(key, { value, until: now() + lifetimeMs });
      // Unless the entry was replaced in the meantime.
      value.catch(() => entries.get(key)?.value === value && entries.delete(key));
      const oldest = entries.keys().next();
      if (entries.size > size && !oldest.done) entries.delete(oldest.value);
      return value;
    },
    /** Removes an entry, also one that is still loading. */
    forget: (key: string): void => void entries.delete(key),
    /** Removes all entries whose key matches. */
    forgetWhere(matches: (key: string) => boolean): void {
      for (const key of entries.keys()) if (matches(key)) entries.delete(key);
    },
  };
}
