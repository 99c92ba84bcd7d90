type Options = { size: number; lifetimeMs: number; now?: () => number; onHit?: () => void };

/** Keeps what is dear to make for a while, the oldest entries going first. A failure is not kept. */
export function createCache<Value>({ size, lifetimeMs, now = Date.now, onHit }: Options) {
  const entries = new Map<string, { value: Promise<Value>; until: number }>();
  // The oldest are the first: what has had its time does not lie about until it is asked for again.
  function dropExpired(): void {
    for (const [key, { until }] of entries) {
      if (until > now()) return;
      entries.delete(key);
    }
  }

  return {
    get(key: string, make: () => Promise<Value>): Promise<Value> {
      dropExpired();
      const held = entries.get(key);
      if (held && held.until > now()) {
        onHit?.();
        return held.value;
      }
      const value = make();
      entries.delete(key);
      entries.set(key, { value, until: now() + lifetimeMs });
      // Unless it was forgotten and made anew meanwhile.
      value.catch(() => entries.get(key)?.value === value && entries.delete(key));
      const oldest = entries.keys().next();
      if (entries.size > size && !oldest.done) entries.delete(oldest.value);
      return value;
    },
    /** Forgets an entry at once, also one that is being made. */
    forget: (key: string): void => void entries.delete(key),
    /** The same for all that are meant. */
    forgetWhere(isMeant: (key: string) => boolean): void {
      for (const key of entries.keys()) if (isMeant(key)) entries.delete(key);
    },
  };
}
