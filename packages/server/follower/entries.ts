import { type Clock, isOver, type Lease, type Moment, momentOf } from './lease.ts';
import type { State } from './state.ts';

/** An answer in memory. */
export type Entry = {
  key: string;
  /** The gateway's name of the entry. 0 if the gateway does not know that it is in memory. */
  handle: number;
  state: State;
  /** Before the question was sent. */
  from: Moment;
  lastsMs: number;
  lease: Pick<Lease, 'holds'>;
  isDropped: boolean;
};

/** Whether a decision may be made from the entry now. */
export function isCurrent({ isDropped, lease, from, lastsMs }: Entry, clock: Clock): boolean {
  if (isDropped) return false;
  const now = momentOf(clock);
  return lease.holds(now) && !isOver(from, lastsMs, now);
}

export type Entries = ReturnType<typeof createEntries>;

/**
 * The entries of a connection, by question and by handle. The least recently used one goes first.
 * `forget` hears of each handle that leaves without a drop.
 */
export function createEntries(maxEntries: number, forget: (handle: number) => void) {
  // In the order of use, so that the first entry is the least recently used one.
  const byKey = new Map<string, Entry>();
  const byHandle = new Map<number, Entry>();

  function remove(entry: Entry): void {
    entry.isDropped = true;
    byHandle.delete(entry.handle);
    if (byKey.get(entry.key) === entry) byKey.delete(entry.key);
  }

  function evict(entry: Entry): void {
    remove(entry);
    forget(entry.handle);
  }

  return {
    size: () => byHandle.size,
    hasHandle: (handle: number) => byHandle.has(handle),

    find(key: string, clock: Clock): Entry | undefined {
      const entry = byKey.get(key);
      if (!entry) return undefined;
      if (!isCurrent(entry, clock)) {
        if (!entry.isDropped) evict(entry);
        return undefined;
      }
      byKey.delete(key);
      byKey.set(key, entry);
      return entry;
    },

    add(entry: Entry): void {
      const previous = byKey.get(entry.key);
      if (previous) evict(previous);
      byKey.set(entry.key, entry);
      byHandle.set(entry.handle, entry);
      for (const oldest of byKey.values()) {
        if (byKey.size <= maxEntries) break;
        evict(oldest);
      }
    },

    /** Evicts the entries that decide nothing any more. */
    evictOver(clock: Clock): void {
      for (const entry of byHandle.values()) if (!isCurrent(entry, clock)) evict(entry);
    },

    /** Whether there was such an entry. */
    drop(handle: number): boolean {
      const entry = byHandle.get(handle);
      if (entry) remove(entry);
      return entry !== undefined;
    },

    clear(): void {
      // None serves any more when the first handle is forgotten.
      for (const entry of byHandle.values()) entry.isDropped = true;
      for (const entry of byHandle.values()) evict(entry);
    },
  };
}
