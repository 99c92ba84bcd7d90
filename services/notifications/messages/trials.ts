import { perMinute } from '@bailiwick/contract';
import type { Limiter } from '@bailiwick/store';

/**
 * Trying out a receiver takes a few deliveries. The limits keep them from loading one receiver, or
 * one tenant's receivers together.
 */
const trials = { endpoint: perMinute(10), tenant: perMinute(60) };

/**
 * Counts a delivery that a user wants at once: a test, or the next attempt at a message.
 * @throws resource_exhausted at the limit of the endpoint or of the tenant
 */
export async function countTrial(
  limiter: Limiter,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await limiter.take(`endpoint test ${tenant} ${endpoint}`, trials.endpoint);
  await limiter.take(`endpoint tests ${tenant}`, trials.tenant);
}
