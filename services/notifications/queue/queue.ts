import { type Broker } from '@bailiwick/broker';
import type { Background } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter } from '@bailiwick/store';
import { createBreaker, type Pauses } from '../health/breaker.ts';
import { type EndpointKind, startDisablePolicy } from '../health/disable-policy.ts';
import { createHealth } from '../health/health.ts';
import { createLatencyTracker } from '../health/latency-tracker.ts';
import type { DisablePolicy } from '../health/queries.ts';
import { createEndpointStates } from '../health/state.ts';
import type { Tasks } from '../sending/task.ts';
import type { Announcements } from '../waiting-rows.ts';
import { startDuePublisher } from './due/due-publisher.ts';
import { measureQueue } from './metrics.ts';
import { startRelease } from './parking/release.ts';
import type { Schedules } from './schedule.ts';
import { createSlotPool } from './slots.ts';
import type { Store } from './store.ts';
import { type Lane, startWorker } from './worker.ts';

type Deps = {
  database: Database;
  broker: Broker;
  announcements: Announcements;
  store: Store;
  limiter: Limiter;
  kinds: readonly EndpointKind[];
  tasks: Tasks;
  log: Log;
};

/** The queue's work in one process. */
export type QueuePlan = {
  lanes: readonly Lane[];
  schedules: Schedules;
  /** Whether the process releases parked tasks and disables failing endpoints. */
  watchesEndpoints: boolean;
  disablePolicy: DisablePolicy;
  pauses: Pauses;
};

/**
 * The queue's background work of a process: a worker for each lane, and the jobs that return
 * waiting tasks to the lanes.
 */
export function queueOf(
  { database, broker, announcements, store, limiter, kinds, tasks, log }: Deps,
  { lanes, schedules, watchesEndpoints, disablePolicy, pauses }: QueuePlan,
): Background[] {
  if (lanes.length === 0) return [];
  const endpointStates = createEndpointStates(database);
  const health = createHealth({ database, endpointStates, breaker: createBreaker(), pauses });
  const shared = {
    endpointStates,
    limiter,
    health,
    latency: createLatencyTracker(),
    probing: new Set<string>(),
    slotPool: createSlotPool(),
    broker,
    store,
    schedules,
    tasks,
    log,
  };
  const names = lanes.map(({ name }) => name);
  const workers = lanes.map(
    (lane): Background =>
      () =>
        startWorker(shared, lane),
  );
  const publisher: Background = () =>
    startDuePublisher({ database, broker, announcements, store, log }, names);
  const measure: Background = () => (
    measureQueue({ database, broker }, names), () => Promise.resolve()
  );
  const endpointJobs = watchesEndpoints
    ? [
        startRelease({ database, announcements, log }),
        startDisablePolicy({ database, kinds, disablePolicy, announcements, log }),
      ]
    : [];
  return [...workers, publisher, measure, ...endpointJobs];
}
