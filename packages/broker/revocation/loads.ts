import type { RightsKey } from './keys.ts';

/** The loads under way: a value that was requested before a revocation may predate it. */
export function createLoads() {
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
