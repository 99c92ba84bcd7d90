import type { Database } from '@bailiwick/shared/orm.ts';
import type { AttemptOutcome } from '../queue/outcome.ts';
import type { Breaker, Pauses } from './breaker.ts';
import type { Gates } from './gates.ts';
import { type Gate, noteFailure, noteSuccess, openBreaker, pauseUntil } from './queries.ts';

export type Health = ReturnType<typeof createHealth>;

/** Draws the conclusions of an attempt for its endpoint: whether it is left alone for a while, and whether it counts as failing. */
export function createHealth({
  database,
  gates,
  breaker,
  pauses,
}: {
  database: Database;
  gates: Gates;
  breaker: Breaker;
  pauses: Pauses;
}) {
  async function afterFailure(
    { tenant, endpoint }: { tenant: string; endpoint: string },
    { pauseMs, isFailing }: Gate,
    isTimeout: boolean,
  ): Promise<void> {
    const isEnough = breaker.count(endpoint, isTimeout ? 'timeout' : 'failed');
    if (isEnough || pauseMs > 0) await openBreaker(database, tenant, endpoint, pauses);
    else if (!isFailing) await noteFailure(database, tenant, endpoint);
    else return;
    gates.forget(tenant, endpoint);
  }

  return {
    /** `askedUntil`: the receiver has asked to be left alone until then. */
    async conclude(
      whose: { tenant: string; endpoint: string },
      gate: Gate,
      { status, error }: AttemptOutcome,
      askedUntil?: Date,
    ): Promise<void> {
      const { tenant, endpoint } = whose;
      if (status === 'dropped') return;
      if (status === 'delivered') {
        breaker.count(endpoint, 'delivered');
        if (gate.isFailing || gate.pauseMs > 0 || gate.pausedUntil !== null) {
          await noteSuccess(database, tenant, endpoint);
          gates.forget(tenant, endpoint);
        }
      } else await afterFailure(whose, gate, error === 'timeout');
      if (!askedUntil) return;
      await pauseUntil(database, tenant, endpoint, askedUntil);
      gates.forget(tenant, endpoint);
    },
  };
}
