import { setTimeout as sleep } from 'node:timers/promises';
import type { Loaded, Loan, RightsCache } from '@bailiwick/broker';
import { unavailable } from '@bailiwick/errors';

/**
 * A lease that begins with the first question takes about a tenth of a second until values may be
 * lent, and a revocation meanwhile makes one more load necessary.
 */
const pausesMs = [0, 50, 100, 200, 400, 800];

/**
 * Lends a value as soon as that is possible. `register`: see `lend` of the cache. @throws unavailable if
 * it is not possible in time, and what the load throws
 */
export async function lendSoon<T, R>(
  cache: Pick<RightsCache, 'lend'>,
  name: string,
  load: () => Promise<Loaded<T>>,
  register: (value: T, terms: Loan) => R,
): Promise<R> {
  for (const pauseMs of pausesMs) {
    if (pauseMs > 0) await sleep(pauseMs);
    const registered = await cache.lend(name, load, (value, terms) => ({
      result: register(value, terms),
    }));
    if (registered) return registered.result;
  }
  throw unavailable('the answer cannot be kept up to date now');
}
