import { serviceOrigin } from '@bailiwick/contract';
import type { Database } from '@bailiwick/store';
import type { Status } from '../sending/delivery-outcome.ts';
import type { Breaker, Pauses } from './breaker.ts';
import {
  type EndpointState,
  markFailing,
  markHealthy,
  openBreaker,
  pauseUntil,
} from './queries.ts';
import type { EndpointStates } from './state.ts';

const byService = serviceOrigin('notifications');

export type Health = ReturnType<typeof createHealth>;

/**
 * Updates an endpoint's health after an attempt: opens or closes the breaker, and marks it as
 * failing or healthy.
 */
export function createHealth({
  database,
  endpointStates,
  breaker,
  pauses,
}: {
  database: Database;
  endpointStates: EndpointStates;
  breaker: Breaker;
  pauses: Pauses;
}) {
  async function afterFailure(
    { tenant, endpoint }: { tenant: string; endpoint: string },
    { pauseMs, isFailing }: EndpointState,
    isTimeout: boolean,
  ): Promise<void> {
    const opens = breaker.count(endpoint, isTimeout ? 'timeout' : 'failed');
    if (opens || pauseMs > 0) await openBreaker(database, byService, tenant, endpoint, pauses);
    else if (!isFailing) await markFailing(database, byService, tenant, endpoint);
    else return;
    endpointStates.invalidate(tenant, endpoint);
  }

  return {
    /** `askedUntil`: the receiver asked for no deliveries before this time (Retry-After). */
    async update(
      key: { tenant: string; endpoint: string },
      endpointState: EndpointState,
      { status, error }: { status: Status; error: string },
      retryNotBefore?: Date,
    ): Promise<void> {
      const { tenant, endpoint } = key;
      if (status === 'dropped') return;
      if (status === 'delivered') {
        breaker.count(endpoint, 'delivered');
        if (
          endpointState.isFailing ||
          endpointState.pauseMs > 0 ||
          endpointState.pausedUntil !== null
        ) {
          await markHealthy(database, byService, tenant, endpoint);
          endpointStates.invalidate(tenant, endpoint);
        }
      } else await afterFailure(key, endpointState, error === 'timeout');
      if (!retryNotBefore) return;
      await pauseUntil(database, byService, tenant, endpoint, retryNotBefore);
      endpointStates.invalidate(tenant, endpoint);
    },
  };
}
