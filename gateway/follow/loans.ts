import type { Borrowers, RightsKey } from '@bailiwick/broker';

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
  /** Resolves once the follower cannot use it any more; undefined = it was not taken back. */
  end?: Promise<void>;
};

export type Holder = {
  /** Resolves once the follower cannot use these copies any more. */
  takeBack(loans: readonly Loan[]): Promise<void>;
  /** Takes all of its copies back. */
  takeAll(): Promise<void>;
};

export type Loans = ReturnType<typeof createLoans>;

export function createLoans() {
  const byKey = new Map<RightsKey, Set<Loan>>();
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
      const ends = [...loans].map(([holder, some]) => holder.takeBack(some));
      return Promise.all(ends).then(() => {});
    },
    // The lease of a follower rests on the leases of all services that can revoke what it holds.
    drop: (service) => (service === 'notifications' ? undefined : clear()),
    clear,
  };

  return {
    borrowers,
    addHolder: (holder: Holder): void => void holders.add(holder),
    removeHolder: (holder: Holder): void => void holders.delete(holder),
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
