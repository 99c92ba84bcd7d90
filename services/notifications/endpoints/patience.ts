import type { Log } from '@bailiwick/shared/log.ts';
import type { Database, EntityManager } from '@bailiwick/shared/orm.ts';
import type { Origin } from '@bailiwick/shared/outbox.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { clearHealth, listAiling, markTold, type Patience, takeAiling } from './queries.ts';
import { byService } from './values.ts';

const everyMs = 1000;
const batch = 20;

/** What the queue does with the endpoints of one kind. */
export type EndpointKind = {
  /** Of their ids. */
  prefix: 'whk' | 'slk';
  /** Locks an active one until the transaction ends. */
  lock(em: EntityManager, tenant: string, endpoint: string): Promise<unknown>;
  /** Tells that nothing has reached it for a while. Nothing happens where it is gone or inactive. */
  tellFailing(em: EntityManager, tenant: string, endpoint: string, origin: Origin): Promise<void>;
  /** Makes it inactive, and tells of it. Nothing happens where it is gone or inactive. */
  switchOff(
    em: EntityManager,
    tenant: string,
    endpoint: string,
    origin: Origin,
    reason: string,
  ): Promise<void>;
};

/** Reads the waits of the setting: notices, and the end of all patience. */
export function patienceOf(waitsMs: readonly number[]): Patience {
  const seconds = waitsMs.map((wait) => wait / 1000);
  return { noticeSeconds: seconds.slice(0, -1), hopelessSeconds: seconds.at(-1) ?? 0 };
}

type Deps = { database: Database; kinds: readonly EndpointKind[]; patience: Patience; log: Log };

/** Tells of endpoints that fail, and switches off those that have failed for too long. Any number of processes may run it. */
export function startPatience({ database, kinds, patience, log }: Deps): Background {
  const act = (tenant: string, endpoint: string) =>
    database.transaction(tenant, async (em) => {
      const kind = kinds.find(({ prefix }) => endpoint.startsWith(`${prefix}_`));
      await kind?.lock(em, tenant, endpoint);
      const ailing = await takeAiling(em, patience, tenant, endpoint);
      if (!ailing) return;
      if (ailing.isHopeless) {
        await kind?.switchOff(
          em,
          tenant,
          endpoint,
          byService,
          'nothing could be delivered for days',
        );
        await clearHealth(em, tenant, endpoint);
      } else {
        await kind?.tellFailing(em, tenant, endpoint, byService);
        await markTold(em, ailing);
      }
    });
  return repeat({
    everyMs,
    log,
    failed: 'failing endpoints could not be told of, it is tried again',
    async work() {
      for (const { tenant, endpoint } of await listAiling(database, patience, batch)) {
        // A failure for one endpoint must not keep the others waiting.
        const failed = (error: unknown) =>
          log.warn('a failing endpoint could not be told of, it is tried again', {
            tenant,
            endpoint,
            error,
          });
        await act(tenant, endpoint).catch(failed);
      }
    },
  });
}
