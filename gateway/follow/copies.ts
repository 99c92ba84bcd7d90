import type { LoanTerms } from '@bailiwick/broker';
import { limits } from './limits.ts';
import type { Holder, Loan, Loans } from './loans.ts';

/** The copies of one follower by handle, and its right to follow. */
export function createCopies(loans: Loans, holder: () => Holder) {
  const copies = new Map<number, Loan>();
  let right: Loan | undefined;
  let tenant = '';
  let lastHandle = 0;

  const loanOf = (handle: number, { keys, lastsMs }: LoanTerms): Loan => ({
    holder: holder(),
    handle,
    keys,
    endsAt: performance.now() + lastsMs,
  });

  function remove(loan: Loan): void {
    loans.remove(loan);
    if (copies.delete(loan.handle)) loans.count(tenant, -1);
  }

  return {
    all: (): Loan[] => [...copies.values()],
    size: (): number => copies.size,
    isFull: (): boolean => copies.size >= limits.entries || loans.isFull(tenant),
    remove,
    /** Notes a copy. Returns its handle. */
    add(terms: LoanTerms): number {
      const loan = loanOf(++lastHandle, terms);
      copies.set(loan.handle, loan);
      loans.count(tenant, 1);
      loans.add(loan);
      return loan.handle;
    },
    /** Notes, or replaces, what the right to follow depends on. `ofTenant`: the tenant of the bot. */
    setRight(terms: LoanTerms, ofTenant: string): void {
      tenant = ofTenant;
      const previous = right;
      right = loanOf(0, terms);
      loans.add(right);
      if (previous) loans.remove(previous);
    },
    forget(handles: readonly number[]): void {
      for (const handle of handles) {
        const loan = copies.get(handle);
        // One that is being dropped goes with its acknowledgement.
        if (loan && loan.end === undefined) remove(loan);
      }
    },
    /** Removes copies that the follower has dropped by itself, because their time has ended. */
    sweep(now: number): void {
      for (const loan of copies.values())
        if (loan.endsAt < now && loan.end === undefined) remove(loan);
    },
    clear(): void {
      for (const loan of copies.values()) remove(loan);
      if (right) loans.remove(right);
    },
  };
}
