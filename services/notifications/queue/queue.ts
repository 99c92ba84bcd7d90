import type { Broker } from '@bailiwick/shared/broker.ts';
import type { Limiter } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { createBreaker } from '../endpoints/breaker.ts';
import { createGates } from '../endpoints/gates.ts';
import { createHealth } from '../endpoints/health.ts';
import { createPace } from '../endpoints/pace.ts';
import { type EndpointKind, startPatience } from '../endpoints/patience.ts';
import type { ProcessPlan } from '../roles.ts';
import { measureQueue } from './metrics.ts';
import { startRelease } from './parking/release.ts';
import { startDueRelay } from './relay.ts';
import { createSlotPool } from './slots.ts';
import type { Store } from './store.ts';
import { startWorker } from './worker.ts';

type Deps = {
  database: Database;
  broker: Broker;
  store: Store;
  limiter: Limiter;
  kinds: readonly EndpointKind[];
  log: Log;
};

/** The queue's part of a process: a worker for each of its lanes, and what brings their tasks back to them. */
export function queueOf(
  { database, broker, store, limiter, kinds, log }: Deps,
  { roles, lanes, schedules, patience, pauses }: ProcessPlan,
): Background[] {
  if (lanes.length === 0) return [];
  const gates = createGates(database);
  const health = createHealth({ database, gates, breaker: createBreaker(), pauses });
  const shared = {
    gates,
    limiter,
    health,
    pace: createPace(),
    probing: new Set<string>(),
    laneOf: createSlotPool(),
    broker,
    store,
    schedules,
    log,
  };
  const names = lanes.map(({ name }) => name);
  const workers = lanes.map(
    (lane): Background =>
      ({ dispatch }) =>
        startWorker({ ...shared, dispatch }, lane),
  );
  const relay: Background = () => startDueRelay({ database, broker, store, log }, names);
  const measure: Background = () => (
    measureQueue({ database, broker }, names), () => Promise.resolve()
  );
  const ofEndpoints = roles.has('delivery')
    ? [startRelease({ database, log }), startPatience({ database, kinds, patience, log })]
    : [];
  return [...workers, relay, measure, ...ofEndpoints];
}
