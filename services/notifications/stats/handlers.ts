import { timeOf } from '@bailiwick/contract';
import type { Database } from '@bailiwick/store';
import {
  countEndpoints,
  type EndpointPrefix,
  listDays,
  listHours,
  type StatsRow,
} from './queries.ts';

type StatsQuery = { tenant: string; id: string };

/** The GetStats handler for the endpoints with this id prefix. */
export const statsHandler =
  ({ database }: { database: Database }, prefix: EndpointPrefix) =>
  async ({ tenant, id }: StatsQuery) => {
    const [endpoints, days, hours] = await Promise.all([
      countEndpoints(database, tenant, prefix),
      listDays(database, tenant, id || `${prefix}_`),
      id === '' ? [] : listHours(database, tenant, id),
    ]);
    return { endpoints, days: days.map(toStats), hours: hours.map(toStats) };
  };

const toStats = ({ start, ...numbers }: StatsRow) => ({ ...numbers, start: timeOf(start) });
