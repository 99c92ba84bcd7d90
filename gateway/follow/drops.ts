import { closeCodes, type Link } from './link.ts';
import type { Loan, Release } from './loans.ts';
import { metrics } from './metrics.ts';

/** How long a follower may take to acknowledge a drop. */
const dropMs = 200;

type Drop = {
  loans: readonly Loan[];
  timer: NodeJS.Timeout;
  sentAt: number;
  resolve: (release: Release) => void;
};

type Options = {
  link: Link;
  /** Called for each copy that the follower has dropped. */
  onDropped: (loan: Loan) => void;
  /** Called when the follower does not acknowledge. It gets no `ok` any more, so its lease ends. */
  onSilent: () => void;
};

/** The drops of a follower that it has not acknowledged. */
export function createDrops({ link, onDropped, onSilent }: Options) {
  const drops = new Map<number, Drop>();
  let lastId = 0;

  function giveUp(): void {
    link.close(closeCodes.silent, 'a drop was not acknowledged in time');
    onSilent();
  }

  return {
    /** Resolves once the follower has dropped them, or its lease is over. */
    send(loans: readonly Loan[]): void {
      const { promise, resolve } = Promise.withResolvers<Release>();
      const id = ++lastId;
      const timer = setTimeout(giveUp, dropMs);
      drops.set(id, { loans, timer, sentAt: performance.now(), resolve });
      for (const loan of loans) loan.end = promise;
      metrics.drops.add({}, loans.length);
      link.send({ Type: 'drop', ID: id, Handles: loans.map(({ handle }) => handle) });
    },
    acknowledge(id: number): void {
      const drop = drops.get(id);
      if (!drop) return;
      clearTimeout(drop.timer);
      drops.delete(id);
      metrics.acknowledgement.record((performance.now() - drop.sentAt) / 1000, {});
      drop.loans.forEach(onDropped);
      drop.resolve('dropped');
    },
    /** From now on nothing is acknowledged: the connection is gone. */
    stop: (): void => drops.forEach(({ timer }) => clearTimeout(timer)),
    /** The lease of the follower is over. */
    end: (): void => drops.forEach(({ resolve }) => resolve('waited')),
  };
}
