type Options = { size: number; lifetimeMs: number; now?: () => number; onHit?: () => void };

/** Keeps what is dear to make for a while, the oldest entries going first. A failure is not kept. */
export function createCache<Value>({ size, lifetimeMs, now = Date.now, onHit }: Options) {
  const entries = new Map<string, { value: Promise<Value>; until: number }>();
  return {
    get(key: string, make: () => Promise<Value>): Promise<Value> {
      const held = entries.get(key);
      if (held && held.until > now()) {
        onHit?.();
        return held.value;
      }
      const value = make();
      entries.delete(key);
      entries.set(key, { value, until: now() + lifetimeMs });
      value.catch(() => entries.delete(key));
      const oldest = entries.keys().next();
      if (entries.size > size && !oldest.done) entries.delete(oldest.value);
      return value;
    },
  };
}
