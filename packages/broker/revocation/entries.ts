import type { Host } from '@bailiwick/contract';
import { LRUCache } from 'lru-cache';
import type { RightsKey } from './keys.ts';
import type { Moment } from './moment.ts';

// The entries of a cache of rights.

export type Entry = {
  value: unknown;
  keys: readonly RightsKey[];
  /** The services that can revoke it. */
  revokers: readonly Host[];
  requestedAt: Moment;
  /** How long it may be used after that. */
  lastsMs: number;
  bytes: number;
};

/** Entries by name, found by their keys too: a revocation costs as much as it removes. */
export function createEntries(maxBytes: number, holdsSecrets: boolean) {
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
