import { UnavailableError } from '../errors.ts';
import type { Platform } from './platform.ts';
import { closedMessage } from './questions.ts';

const readyMs = 3000;

type Waiter = { resolve: () => void; reject: (error: Error) => void };

/** Lets callers wait until questions can be answered. */
export function createReadiness({ after }: Platform, isReady: () => boolean) {
  const waiters = new Set<Waiter>();
  let isClosed = false;

  /** Lets the waiting callers go on, or throw. */
  function settle(error?: Error): void {
    for (const { resolve, reject } of waiters) {
      if (error) reject(error);
      else resolve();
    }
  }

  return {
    settle,
    hasWaiters: () => waiters.size > 0,

    close(): void {
      isClosed = true;
      settle(new UnavailableError(closedMessage));
    },

    async wait(): Promise<void> {
      if (isClosed) throw new UnavailableError(closedMessage);
      if (isReady()) return;
      let leave = () => {};
      const answer = new Promise<void>((resolve, reject) => {
        const waiter = { resolve, reject };
        const cancel = after(readyMs, () =>
          reject(new UnavailableError('Bailiwick does not answer in time')),
        );
        waiters.add(waiter);
        leave = () => {
          cancel();
          waiters.delete(waiter);
        };
      });
      await answer.finally(leave);
    },
  };
}
