import { type Limit, type LimitProfile, perMinute, unlimited } from '@bailiwick/contract';
import { createRecorder, type Handover, type InsertRows } from '@bailiwick/outbox';
import type { Checks, Handlers } from '@bailiwick/pipeline';
import type { Events } from '@bailiwick/proto/gen/bailiwick/notifications/v1/events_pb.ts';
import { type Database, type Limiter, lockName } from '@bailiwick/store';
import { rowOf } from '../rows.ts';
import { publishBatchHandler } from './batch.ts';
import { bodyProblems, textOf } from './body.ts';
import { changeOf, nameOf, recordEvents } from './record.ts';

/**
 * The limit for all applications of a tenant together. Each event becomes a task per subscribed
 * endpoint.
 */
const limits: Record<LimitProfile, Limit> = {
  standard: perMinute(6000),
  strict: perMinute(600),
  off: unlimited,
};

type Deps = {
  database: Database;
  handover: Handover;
  /** Inserts the rows of events, and prepares their tasks. */
  insert: InsertRows;
  limiter: Limiter;
  profile: LimitProfile;
};

export const eventsChecks: Checks<typeof Events> = {
  publish: ({ body }) => bodyProblems(body),
};

export function eventsHandlers({
  database,
  handover,
  insert,
  limiter,
  profile,
}: Deps): Handlers<typeof Events> {
  const recordAlone = createRecorder(database, handover, insert);
  const limit = limits[profile];
  return {
    async publish({ tenant, type, body, id }, call) {
      const event = { type, body: textOf(body), id };
      await limiter.take(publishKey(tenant), limit);
      if (id === '') return { id: await recordAlone(call, changeOf(tenant, event)) };
      const { ids, rows } = await database.transaction(
        { call, tenant, row: rowOf.event(tenant, id) },
        async (tx) => {
          // The previous version decides under this lock.
          await lockName(tx, rowOf.published(tenant, nameOf(call, event)));
          return recordEvents(tx, tenant, [event], insert);
        },
      );
      handover.add(rows);
      return { id: ids[0] ?? '' };
    },
    ...publishBatchHandler({
      database,
      handover,
      insert,
      take: (tenant, uses) => limiter.takeSeveral(publishKey(tenant), limit, uses),
    }),
  };
}

const publishKey = (tenant: string) => `publish ${tenant}`;
