import { serviceOrigin } from '@bailiwick/contract';
import type { Background } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import { type Announcements, watchRows } from '../waiting-rows.ts';
import {
  clearHealth,
  type DisablePolicy,
  listFailing,
  lockFailing,
  markNotified,
} from './queries.ts';

const batch = 20;

/** The origin of changes that the service makes itself, such as disabling an endpoint. */
export const byService = serviceOrigin('notifications');

/** The reasons for which the service disables an endpoint. */
export const goneReason = 'the receiver answered 410 Gone';
const failingReason = 'all deliveries failed for days';

/** How the queue handles the endpoints of one kind. */
export type EndpointKind = {
  /** The prefix of their ids. */
  prefix: 'whk' | 'slk';
  /** Locks an active endpoint until the transaction ends. */
  lock(tx: Transaction, tenant: string, endpoint: string): Promise<unknown>;
  /** Publishes that deliveries fail. Does nothing if the endpoint was deleted or inactive. */
  reportFailing(tx: Transaction, tenant: string, endpoint: string): Promise<void>;
  /** Makes the endpoint inactive and publishes that. Does nothing if it is gone or inactive. */
  disable(tx: Transaction, tenant: string, endpoint: string, reason: string): Promise<void>;
};

/** Reads the setting: the last wait disables an endpoint, the others notify its owners. */
export function readDisablePolicy(waitsMs: readonly number[]): DisablePolicy {
  const seconds = waitsMs.map((wait) => wait / 1000);
  return { noticeSeconds: seconds.slice(0, -1), disableAfterSeconds: seconds.at(-1) ?? 0 };
}

type Deps = {
  database: Database;
  kinds: readonly EndpointKind[];
  disablePolicy: DisablePolicy;
  announcements: Announcements;
  log: Log;
};

/**
 * Notifies the owners of failing endpoints, and disables endpoints that failed for too long. Any
 * number of processes may run it.
 */
export function startDisablePolicy({
  database,
  kinds,
  disablePolicy,
  announcements,
  log,
}: Deps): Background {
  const act = (tenant: string, endpoint: string) =>
    database.transaction({ call: byService, tenant }, async (tx) => {
      const kind = kinds.find(({ prefix }) => endpoint.startsWith(`${prefix}_`));
      await kind?.lock(tx, tenant, endpoint);
      const failing = await lockFailing(tx, disablePolicy, tenant, endpoint);
      if (!failing) return;
      if (failing.shouldDisable) {
        await kind?.disable(tx, tenant, endpoint, failingReason);
        await clearHealth(tx, tenant, endpoint);
      } else {
        await kind?.reportFailing(tx, tenant, endpoint);
        await markNotified(tx, failing);
      }
    });
  // A quarter of the shortest wait, up to the job's own interval.
  const { noticeSeconds, disableAfterSeconds } = disablePolicy;
  const againMs = 250 * Math.min(...noticeSeconds, disableAfterSeconds);
  const check = async (): Promise<number> => {
    for (const { tenant, endpoint } of await listFailing(database, disablePolicy, batch)) {
      // A failure for one endpoint must not delay the others.
      const failed = (error: unknown) =>
        log.warn('reporting a failing endpoint failed, retrying', { tenant, endpoint, error });
      await act(tenant, endpoint).catch(failed);
    }
    return againMs;
  };
  const failed = 'reporting failing endpoints failed, retrying';
  return () => watchRows({ announcements, log, failed, check });
}
