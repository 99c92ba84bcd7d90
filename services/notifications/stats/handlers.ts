import { timeOf } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
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
  (prefix: EndpointPrefix) =>
  async ({ tenant, id }: StatsQuery, { reader }: Call) => {
    const [endpoints, days, hours] = await Promise.all([
      countEndpoints(reader, tenant, prefix),
      listDays(reader, tenant, id || `${prefix}_`),
      listHours(reader, tenant, id || `${prefix}_`),
    ]);
    return { endpoints, days: days.map(toStats), hours: hours.map(toStats) };
  };

const toStats = ({ start, ...numbers }: StatsRow) => ({ ...numbers, start: timeOf(start) });
