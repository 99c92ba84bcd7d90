import type { ConnectionEnd } from './connection.ts';

// When a follower connects again.

const firstMs = 50;
const lastMs = 5000;
/** A credential that is refused now is seldom accepted a moment later. */
const firstRefusedMs = 1000;
const lastRefusedMs = 60_000;
/** After too many followers or frames, or from a gateway that has no time now. */
const limitMs = 2000;

export const isRefusal = (code: number): boolean => code === 4401 || code === 4403;

/**
 * The time until the next attempt. `failures` counts the attempts in a row that led to no lasting
 * connection. `random` is from 0 to 1, so that the followers of a gateway do not come back at once.
 */
export function retryMs({ code }: ConnectionEnd, failures: number, random: number): number {
  if (isRefusal(code))
    return Math.min(lastRefusedMs, firstRefusedMs * 2 ** failures) * (1 + random / 4);
  if (code === 4429 || code === 1013) return limitMs * (1 + random);
  // The gateway stops, or the permissions have changed: another connection serves at once.
  if ((code === 1001 || code === 4409) && failures === 0) return 0;
  return Math.min(lastMs, firstMs * 2 ** failures) * (0.5 + random / 2);
}
