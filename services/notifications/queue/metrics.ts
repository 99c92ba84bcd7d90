import type { Broker } from '@bailiwick/shared/broker.ts';
import { counter, gauge, level, type Reading, timing } from '@bailiwick/shared/metrics.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { countOpenBreakers } from '../endpoints/queries.ts';
import { countDeadLetters, listOverdue } from './queries.ts';

// What the queue is measured by (docs/observability.md). A lane is the only thing that tells one kind of work from another:
// tenants and endpoints are found in the rows of the attempts.

export const attempts = counter<{ lane: string; status: string; error: string }>({
  name: 'bailiwick_delivery_attempts_total',
  about: 'Attempts that were made, by what came of them.',
});

/** Seconds up to the longest of healthy waits, then minutes and hours, for what waited while a receiver was away. */
const waits = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600, 21_600];

export const firstByte = timing(
  {
    name: 'bailiwick_delivery_first_byte_seconds',
    about: "From an event to the first byte of the receiver's answer.",
  },
  waits,
);

export const inFlight = level<{ lane: string }>({
  name: 'bailiwick_delivery_in_flight',
  about: 'Attempts this process is making at the moment.',
});

export const spilled = counter(
  { name: 'bailiwick_delivery_spilled_total', about: 'Attempts that went to the slow lane.' },
  {},
);

export const parked = counter<{ lane: string }>({
  name: 'bailiwick_delivery_parked_total',
  about: 'Attempts that were put off until their endpoint can be sent to.',
});

const breakerOpen = gauge({
  name: 'bailiwick_delivery_breaker_open',
  about:
    'Endpoints that are left alone because they have failed too often. The same from every replica.',
});

const queueAge = gauge<{ lane: string }>({
  name: 'bailiwick_delivery_queue_age_seconds',
  about:
    "How long the oldest task has been due; 0 where there is none. The queue's: the same from every replica.",
});

const deadLetters = gauge({
  name: 'bailiwick_delivery_dead_letters',
  about: 'Tasks that ended without success, of the last 30 days. The same from every replica.',
});

/** Measures the queue itself for these lanes. */
export function measureQueue(
  { database, broker }: { database: Database; broker: Broker },
  lanes: readonly string[],
): void {
  queueAge.from(async () => {
    const overdue = new Map((await listOverdue(database)).map(({ lane, age }) => [lane, age]));
    const ageOf = async (lane: string): Promise<number> => {
      const since = await broker.oldest('TASK', `task.${lane}.>`);
      const handedOut = since ? (Date.now() - since.getTime()) / 1000 : 0;
      return Math.max(handedOut, overdue.get(lane) ?? 0, 0);
    };
    return Promise.all(
      lanes.map(
        async (lane): Promise<Reading<{ lane: string }>> => ({
          value: await ageOf(lane),
          labels: { lane },
        }),
      ),
    );
  });
  breakerOpen.from(async () => [{ value: await countOpenBreakers(database), labels: {} }]);
  deadLetters.from(async () => [{ value: await countDeadLetters(database), labels: {} }]);
}
