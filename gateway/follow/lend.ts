import { setTimeout as sleep } from 'node:timers/promises';
import type { Loaded, LoanTerms, RightsCache } from '@bailiwick/broker';
import { unavailable } from '@bailiwick/errors';
import { revokers } from './loans.ts';

/** How long a question waits for the leases of the gateway, which begin with the first one. */
const leaseWaitMs = 1000;
const leasePollMs = 20;
/**
 * A value may be lent from a tenth of a second after a lease began, and a revocation meanwhile makes
 * one more load necessary.
 */
const pausesMs = [0, 120, 240, 480];

type Cache = Pick<RightsCache, 'lend' | 'leaseLeftMs'>;

/** Waits until the gateway has the leases of followers. Returns how long they last, in ms. */
export async function awaitLease(
  cache: Pick<RightsCache, 'leaseLeftMs'>,
  waitMs: number,
): Promise<number> {
  const until = performance.now() + waitMs;
  for (;;) {
    const leftMs = cache.leaseLeftMs(revokers);
    if (leftMs > 0 || performance.now() >= until) return leftMs;
    await sleep(leasePollMs);
  }
}

/**
 * Lends a value as soon as that is possible. `register`: see `lend` of the cache. @throws unavailable if it is not possible in time, and what the load throws
 */
export async function lendSoon<T, R>(
  cache: Cache,
  name: string,
  load: () => Promise<Loaded<T>>,
  register: (value: T, terms: LoanTerms) => R,
): Promise<R> {
  const isLeased = (await awaitLease(cache, leaseWaitMs)) > 0;
  for (const pauseMs of isLeased ? pausesMs : []) {
    if (pauseMs > 0) await sleep(pauseMs);
    const loan = await cache.lend(name, load, (value, terms) => ({
      result: register(value, terms),
    }));
    if (loan) return loan.result;
  }
  throw unavailable('the answer cannot be kept up to date now');
}
