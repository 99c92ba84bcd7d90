import { callerNetwork } from '@bailiwick/contract';
import { tooManySignIns } from '../passwords/lane.ts';

/**
 * Limits the sign-ins of one client address that this process has not answered yet. The limit of
 * sign-ins a minute alone would let one client hold a place in every queue.
 */
export function createInFlight(most: number) {
  const running = new Map<string, number>();

  /** @throws resource_exhausted if too many of the address are running */
  return async <T>(ip: string, work: () => Promise<T>): Promise<T> => {
    const client = callerNetwork(ip);
    const count = running.get(client) ?? 0;
    // Calls of other services have no client address.
    if (ip !== '' && count >= most) throw tooManySignIns();
    running.set(client, count + 1);
    try {
      return await work();
    } finally {
      const remaining = (running.get(client) ?? 1) - 1;
      if (remaining === 0) running.delete(client);
      else running.set(client, remaining);
    }
  };
}

export type InFlight = ReturnType<typeof createInFlight>;
