import type { Borrowers, Released, RightsKey } from '@bailiwick/broker';
import type { Host } from '@bailiwick/contract';
import { createCounts, limits } from './limits.ts';
import { metrics } from './metrics.ts';

// The copies that all followers of this gateway hold. Services know the gateway only: it
// acknowledges a revocation once its followers have dropped what the revocation ends.

/** A copy of a value in a follower, or the follower's own right to be one. */
export type Loan = {
  holder: Holder;
  /** The follower's name of its copy; 0 = the right to follow. */
  handle: number;
  keys: readonly RightsKey[];
  /** When the follower drops it by itself, in ms of the monotonic clock. */
  endsAt: number;
  /** How the follower lets go of it; undefined = it was not taken back. */
  end?: Promise<Release>;
};

/** dropped: the follower has said so. waited: its lease is over. */
export type Release = 'dropped' | 'waited';

export type Holder = {
  /** Resolves once the follower cannot use these copies any more. */
  takeBack(loans: readonly Loan[]): Promise<Release>;
  /** Takes all of its copies back, and doubts its right: revocations may have passed unheard. */
  takeAll(): Promise<Release>;
};

const count = (releases: readonly Release[]): Released => {
  const followersWaited = releases.filter((release) => release === 'waited').length;
  return { followers: releases.length - followersWaited, followersWaited };
};

/** The services that can revoke what followers hold: their leases rest on the gateway's with these. */
export const revokers: readonly Host[] = ['identity', 'access', 'sso'];

export type Loans = ReturnType<typeof createLoans>;

export function createLoans() {
  const byKey = new Map<RightsKey, Set<Loan>>();
  const ofTenant = createCounts(limits.entriesOfTenant);
  let size = 0;
  const holders = new Set<Holder>();

  function under(keys: readonly RightsKey[]): Map<Holder, Loan[]> {
    const loans = new Set(keys.flatMap((key) => [...(byKey.get(key) ?? [])]));
    return Map.groupBy(loans, ({ holder }) => holder);
  }

  const clear = (): void => holders.forEach((holder) => void holder.takeAll());

  const borrowers: Borrowers = {
    revoke(keys) {
      const loans = under(keys);
      if (loans.size === 0) return undefined;
      const releases = [...loans].map(([holder, some]) => holder.takeBack(some));
      return Promise.all(releases).then(count);
    },
    drop: (service) => (revokers.includes(service) ? clear() : undefined),
    clear,
  };

  return {
    borrowers,
    addHolder: (holder: Holder): void => void holders.add(holder),
    removeHolder: (holder: Holder): void => void holders.delete(holder),
    /** Whether this gateway, or the followers of a tenant's bots at it, have all that they may have. */
    isFull: (tenant: string): boolean => size >= limits.allEntries || ofTenant.isFull(tenant),
    /** Counts a follower's copies of values, and not its right. */
    count(tenant: string, by: 1 | -1): void {
      size += by;
      if (by > 0) ofTenant.add(tenant);
      else ofTenant.remove(tenant);
      metrics.entries.change(by, {});
    },
    add(loan: Loan): void {
      for (const key of loan.keys) {
        const loans = byKey.get(key);
        if (loans) loans.add(loan);
        else byKey.set(key, new Set([loan]));
      }
    },
    remove(loan: Loan): void {
      for (const key of loan.keys) {
        const loans = byKey.get(key);
        loans?.delete(loan);
        if (loans?.size === 0) byKey.delete(key);
      }
    },
  };
}
