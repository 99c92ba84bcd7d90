import type { Loan as Terms } from '@bailiwick/broker';
import { closeCodes, type Link } from './link.ts';
import type { Holder, Loan, Loans, Release } from './loans.ts';
import { metrics } from './metrics.ts';

// What one follower holds, and its lease. The follower measures its lease from before its beat, so
// that it is over before the moment that is noted here.

/** How long a follower may take to acknowledge a drop. */
const dropMs = 200;
/**
 * The longest lease of a follower. A revocation waits for it when the follower does not answer, and
 * is acknowledged before the service gives the gateway up.
 */
const longestLeaseMs = 1500;
/** A timer may fire a moment too early. */
const marginMs = 5;
/** Copies whose time has ended are removed this often. */
export const sweepMs = 10_000;

type Drop = {
  loans: readonly Loan[];
  timer: NodeJS.Timeout;
  sentAt: number;
  resolve: (release: Release) => void;
};

type Options = { loans: Loans; link: Link };

export type FollowerHolder = ReturnType<typeof createHolder>;

export function createHolder({ loans, link }: Options) {
  const copies = new Map<number, Loan>();
  const drops = new Map<number, Drop>();
  let right: Loan | undefined;
  let lastHandle = 0;
  let lastDrop = 0;
  /** In ms of the monotonic clock. */
  let leaseEndsAt = 0;
  let isEnding = false;
  let lost: Promise<Release> | undefined;

  function remove(loan: Loan): void {
    loans.remove(loan);
    if (copies.delete(loan.handle)) metrics.entries.change(-1, {});
  }

  /** Resolves once the follower has dropped them, or its lease is over. */
  function drop(some: readonly Loan[]): Promise<Release> {
    const { promise, resolve } = Promise.withResolvers<Release>();
    const id = ++lastDrop;
    const timer = setTimeout(giveUp, dropMs);
    drops.set(id, { loans: some, timer, sentAt: performance.now(), resolve });
    for (const loan of some) loan.end = promise;
    metrics.drops.add({}, some.length);
    link.send({ Type: 'drop', ID: id, Handles: some.map(({ handle }) => handle) });
    return promise;
  }

  function finish(id: number, { loans: dropped, timer, resolve }: Drop): void {
    clearTimeout(timer);
    drops.delete(id);
    for (const loan of dropped) remove(loan);
    resolve('dropped');
  }

  async function takeBack(some: readonly Loan[]): Promise<Release> {
    if (lost) return lost;
    if (some.some(({ handle }) => handle === 0))
      return end(closeCodes.changed, 'what the follower may follow has changed');
    const held = some.filter(({ end }) => end === undefined);
    if (held.length > 0) void drop(held);
    const releases = await Promise.all(new Set(some.map(({ end: release }) => release)));
    return releases.includes('waited') ? 'waited' : 'dropped';
  }

  const takeAll = (): Promise<Release> => takeBack([...copies.values()]);

  /** Ends the connection, after the follower has dropped its copies. */
  async function end(code: number, reason: string): Promise<Release> {
    isEnding = true;
    const release = await takeAll();
    link.close(code, reason);
    return release;
  }

  /** The follower does not acknowledge a drop. It gets no `ok` any more, so its lease ends. */
  function giveUp(): void {
    link.close(closeCodes.silent, 'a drop was not acknowledged in time');
    void lose();
  }

  function lose(): Promise<Release> {
    lost ??= waitOut();
    return lost;
  }

  /** The connection is gone, and the follower may use its copies until its lease is over. */
  async function waitOut(): Promise<Release> {
    for (const { timer } of drops.values()) clearTimeout(timer);
    const leftMs = copies.size === 0 ? 0 : leaseEndsAt - performance.now();
    if (leftMs > 0) {
      metrics.waitedLeases.add({});
      await new Promise((resolve) => setTimeout(resolve, leftMs + marginMs));
    }
    for (const loan of copies.values()) remove(loan);
    if (right) loans.remove(right);
    for (const { resolve } of drops.values()) resolve('waited');
    loans.removeHolder(holder);
    return 'waited';
  }

  const holder: Holder = { takeBack, takeAll };
  loans.addHolder(holder);

  return {
    size: (): number => copies.size,
    /** Whether no more copies may be made. */
    isEnding: (): boolean => isEnding || lost !== undefined,
    /** Notes a copy. Returns its handle. */
    add({ keys, lastsMs }: Terms): number {
      const handle = ++lastHandle;
      const loan = { holder, handle, keys, endsAt: performance.now() + lastsMs };
      copies.set(handle, loan);
      metrics.entries.change(1, {});
      loans.add(loan);
      return handle;
    },
    /** Notes, or replaces, what the right to follow depends on. */
    setRight({ keys, lastsMs }: Terms): void {
      const former = right;
      right = { holder, handle: 0, keys, endsAt: performance.now() + lastsMs };
      loans.add(right);
      if (former) loans.remove(former);
    },
    /** The lease that an `ok` may grant now, in ms. `leftMs`: what is left of the gateway's own. */
    grant(leftMs: number): number {
      const leaseMs = Math.floor(Math.min(longestLeaseMs, leftMs));
      leaseEndsAt = Math.max(leaseEndsAt, performance.now() + leaseMs);
      return leaseMs;
    },
    forget(handles: readonly number[]): void {
      for (const handle of handles) {
        const loan = copies.get(handle);
        // One that is being dropped goes with its acknowledgement.
        if (loan && loan.end === undefined) remove(loan);
      }
    },
    acknowledge(id: number): void {
      const acknowledged = drops.get(id);
      if (!acknowledged || lost) return;
      metrics.acknowledgement.record((performance.now() - acknowledged.sentAt) / 1000, {});
      finish(id, acknowledged);
    },
    /** Removes copies whose time has ended. */
    sweep(now: number): void {
      for (const loan of copies.values())
        if (loan.endsAt < now && loan.end === undefined) remove(loan);
    },
    end,
    /** Notes that the connection is gone. Resolves once the follower cannot use anything any more. */
    lose,
  };
}
