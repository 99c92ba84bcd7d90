import { type Broker } from '@bailiwick/broker';
import { counter, gauge, level, type Reading } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { countOpenBreakers } from '../health/queries.ts';
import { countDeadLetters, listOverdue } from './due/queries.ts';

// The queue's metrics (docs/observability.md). The lane is the only label for the kind of work:
// tenants and endpoints are found in the attempt rows.

export const attempts = counter<{ lane: string; status: string; error: string }>({
  name: 'bailiwick_delivery_attempts_total',
  about: 'Attempts made, by their outcome.',
});

export const inFlight = level<{ lane: string }>({
  name: 'bailiwick_delivery_in_flight',
  about: 'Attempts in progress in this process.',
});

export const spilled = counter(
  { name: 'bailiwick_delivery_spilled_total', about: 'Attempts sent to the slow lane.' },
  {},
);

export const parked = counter<{ lane: string }>({
  name: 'bailiwick_delivery_parked_total',
  about: 'Attempts parked until their endpoint can be sent to.',
});

const breakerOpen = gauge({
  name: 'bailiwick_delivery_breaker_open',
  about: 'Endpoints paused by an open breaker. The same from every replica.',
});

const queueAge = gauge<{ lane: string }>({
  name: 'bailiwick_delivery_queue_age_seconds',
  about: 'How long the oldest due task has waited; 0 = none. The same from every replica.',
});

const deadLetters = gauge({
  name: 'bailiwick_delivery_dead_letters',
  about: 'Dead-lettered tasks of the last 30 days. The same from every replica.',
});

/** Registers the gauges of the queue for these lanes. */
export function measureQueue(
  { database, broker }: { database: Database; broker: Broker },
  lanes: readonly string[],
): void {
  queueAge.from(async () =>
    (await laneAges({ database, broker }, lanes)).map(
      ({ lane, seconds }): Reading<{ lane: string }> => ({ value: seconds, labels: { lane } }),
    ),
  );
  breakerOpen.from(async () => [{ value: await countOpenBreakers(database), labels: {} }]);
  deadLetters.from(async () => [{ value: await countDeadLetters(database), labels: {} }]);
}

/** How many seconds the oldest due task of each lane has waited; 0 = none. */
export async function laneAges(
  { database, broker }: { database: Database; broker: Broker },
  lanes: readonly string[],
): Promise<Array<{ lane: string; seconds: number }>> {
  const overdue = new Map((await listOverdue(database)).map(({ lane, age }) => [lane, age]));
  return Promise.all(
    lanes.map(async (lane) => {
      const since = await broker.oldest('TASK', `task.${lane}.>`);
      const handedOut = since ? (Date.now() - since.getTime()) / 1000 : 0;
      return { lane, seconds: Math.max(handedOut, overdue.get(lane) ?? 0, 0) };
    }),
  );
}
