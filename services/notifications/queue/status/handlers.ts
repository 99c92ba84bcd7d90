import { type Broker } from '@bailiwick/broker';
import { timeOf } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type { Queues } from '@bailiwick/proto/gen/bailiwick/notifications/v1/queues_pb.ts';
import type { Database } from '@bailiwick/store';
import { countDeadLetters } from '../due/queries.ts';
import { laneAges } from '../metrics.ts';
import { countWaiting, type FailingRow, listFailingEndpoints } from './queries.ts';

const lanes = ['webhook', 'chat', 'logout', 'slow', 'replay', 'email'];
const maxEndpoints = 50;

/** Shows operators which lane is late, and which endpoints fail. */
export function queuesHandlers(deps: {
  database: Database;
  broker: Broker;
}): Handlers<typeof Queues> {
  const { database } = deps;
  return {
    async status() {
      const [ages, waiting, endpoints, deadLetters] = await Promise.all([
        laneAges(deps, lanes),
        countWaiting(database),
        listFailingEndpoints(database, maxEndpoints),
        countDeadLetters(database),
      ]);
      const counts = new Map(waiting.map(({ lane, count }) => [lane, count]));
      return {
        lanes: ages.map(({ lane, seconds }) => ({
          lane,
          ageSeconds: Math.round(seconds),
          waiting: counts.get(lane) ?? 0,
        })),
        failingEndpoints: endpoints.map(toEndpoint),
        deadLetters,
      };
    },
  };
}

const toEndpoint = ({ failingSince, pausedUntil, dead, ...row }: FailingRow) => ({
  ...row,
  failingSince: timeOf(failingSince),
  deadLetters: dead,
  ...(pausedUntil !== null && { pausedUntil: timeOf(pausedUntil) }),
});
