import { createCopies } from './copies.ts';
import { createDrops } from './drops.ts';
import { closeCodes, type Link } from './link.ts';
import type { Holder, Loan, Loans, Release } from './loans.ts';
import { metrics } from './metrics.ts';

// The copies of one follower, and its lease. The follower measures its lease from before its beat, so
// that it is over before the moment that is noted here.

/**
 * The longest lease of a follower. A revocation waits for it when the follower does not answer, and
 * is acknowledged before the service gives the gateway up.
 */
const longestLeaseMs = 1500;
/** A timer may fire a moment too early. */
const marginMs = 5;

type Options = {
  loans: Loans;
  link: Link;
  /** Called when the end of the right to follow may have passed unheard. */
  onLapse: () => void;
};

export type FollowerHolder = ReturnType<typeof createHolder>;

export function createHolder({ loans, link, onLapse }: Options) {
  const copies = createCopies(loans, () => holder);
  const drops = createDrops({ link, onDropped: copies.remove, onSilent: () => void lose() });
  /** In ms of the monotonic clock. */
  let leaseEndsAt = 0;
  let isEnding = false;
  let loss: Promise<Release> | undefined;

  async function takeBack(some: readonly Loan[]): Promise<Release> {
    if (loss) return loss;
    if (some.some(({ handle }) => handle === 0))
      return end(closeCodes.changed, 'what the follower may follow has changed');
    const undropped = some.filter((loan) => loan.end === undefined);
    if (undropped.length > 0) drops.send(undropped);
    const releases = await Promise.all(new Set(some.flatMap((loan) => loan.end ?? [])));
    return releases.includes('waited') ? 'waited' : 'dropped';
  }

  const takeCopies = (): Promise<Release> => takeBack(copies.all());

  function takeAll(): Promise<Release> {
    onLapse();
    return takeCopies();
  }

  /** Ends the connection, after the follower has dropped its copies. */
  async function end(code: number, reason: string): Promise<Release> {
    isEnding = true;
    const release = await takeCopies();
    link.close(code, reason);
    return release;
  }

  function lose(): Promise<Release> {
    loss ??= waitOut();
    return loss;
  }

  /** The connection is gone, and the follower may use its copies until its lease is over. */
  async function waitOut(): Promise<Release> {
    drops.stop();
    const leftMs = copies.size() === 0 ? 0 : leaseEndsAt - performance.now();
    if (leftMs > 0) {
      metrics.waitedLeases.add({});
      await new Promise((resolve) => setTimeout(resolve, leftMs + marginMs));
    }
    copies.clear();
    drops.end();
    loans.removeHolder(holder);
    return 'waited';
  }

  const holder: Holder = { takeBack, takeAll };
  loans.addHolder(holder);

  return {
    ...copies,
    /** Whether no more copies may be made. */
    isEnding: (): boolean => isEnding || loss !== undefined,
    /** The lease that an `ok` may grant now, in ms. `leftMs`: the rest of the gateway's own. */
    extendLease(leftMs: number): number {
      const leaseMs = Math.floor(Math.min(longestLeaseMs, leftMs));
      leaseEndsAt = Math.max(leaseEndsAt, performance.now() + leaseMs);
      return leaseMs;
    },
    /** An acknowledgement after the loss of the connection proves nothing. */
    acknowledge: (id: number): void => (loss ? undefined : drops.acknowledge(id)),
    end,
    /** Notes that the connection is gone. Resolves once the follower cannot use anything any more. */
    lose,
  };
}
