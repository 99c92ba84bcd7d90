import { timeOf } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import {
  type Counted,
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
    const of: Counted = id === '' ? { all: prefix } : { id };
    const [endpoints, days, hours] = await Promise.all([
      countEndpoints(reader, tenant, prefix),
      listDays(reader, tenant, of),
      listHours(reader, tenant, of),
    ]);
    return { endpoints, days: days.map(toStats), hours: hours.map(toStats) };
  };

const toStats = ({ start, ...numbers }: StatsRow) => ({ ...numbers, start: timeOf(start) });
