import { type EgressRules } from '@bailiwick/egress';
import { notFound } from '@bailiwick/errors';
import { type TenantKeys } from '@bailiwick/keys';
import type { Call, PageQuery, Pager } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PageReq } from '@bailiwick/proto/gen/bailiwick/common/v1/page_pb.ts';
import type { Database, Limiter, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { LockMode } from '@mikro-orm/core';
import { deleteHealth } from '../health/queries.ts';
import { type Switchable, withHealth } from '../health/summary.ts';
import { messageHandlers } from '../messages/handlers.ts';
import { forgetMessages } from '../messages/queries.ts';
import { deletePortalsOf } from '../portals/queries.ts';
import { deleteWaiting } from '../queue/queries.ts';
import { type Replay, replayFailed } from '../queue/replay.ts';
import type { Store } from '../queue/store.ts';
import { rowOf } from '../rows.ts';

export type EndpointDeps = {
  database: Database;
  keys: TenantKeys;
  log: Log;
  pager: Pager;
  limiter: Limiter;
  egress: EgressRules;
  authority: PeerClient<typeof Authority>;
  endpointLimit: number;
  store: Store;
  /** How many hours sent bodies are kept. */
  deliveryBodyHours: number;
};

/** The differences between webhook and chat endpoints; everything else is shared. */
type Kind<Found, Row, Shown> = {
  type: 'webhook_endpoint' | 'chat_endpoint';
  events: { deleted: string; replayed: string };
  find: (database: Database, tenant: string, id: string) => Promise<Found | undefined>;
  list: (database: Database, tenant: string, query: PageQuery) => Promise<Found[]>;
  /** The stored endpoint, locked until the transaction ends. */
  lock: (tx: Transaction, key: EndpointId, mode: LockMode) => Promise<Row | null>;
  toApi: (row: Found) => Shown | Promise<Shown>;
  recordEvent: (tx: Transaction, type: string, row: Row) => void;
};

type EndpointId = { tenant: string; id: string };

/** The operations that webhook and chat endpoints share. */
export function sharedHandlers<
  Found extends Switchable,
  Row extends { name: string; active: boolean },
  Shown extends object,
>(
  {
    database,
    pager,
    limiter,
    store,
    deliveryBodyHours,
  }: Pick<EndpointDeps, 'database' | 'pager' | 'limiter' | 'store' | 'deliveryBodyHours'>,
  { type, events, find, list, lock, toApi, recordEvent }: Kind<Found, Row, Shown>,
) {
  return {
    async getEndpoint({ tenant, id }: EndpointId) {
      const row = await find(database, tenant, id);
      const [endpoint] = row ? await withHealth(database, tenant, [row], toApi) : [];
      if (!endpoint) throw notFound('endpoint');
      return { endpoint };
    },

    async listEndpoints(
      { tenant, page }: { tenant: string; page?: PageReq | undefined },
      { operation }: Call,
    ) {
      const binding = [operation.name, tenant];
      const query = pager.read(page, binding);
      const { items, nextCursor } = pager.cut(
        await list(database, tenant, query),
        query,
        binding,
        ({ id }) => id,
      );
      return { page: { items: await withHealth(database, tenant, items, toApi), nextCursor } };
    },

    async deleteEndpoint({ tenant, id }: EndpointId, call: Call) {
      // Sessions of the receivers' portal depend on the endpoint. Even if it is gone: the call that has
      // deleted it may not have replied yet.
      call.invalidates.add(`credential:${id}`);
      await database.transaction({ call, tenant, row: rowOf.endpoint(tenant, id) }, async (tx) => {
        // Lock order everywhere: the endpoint, its waiting tasks, its health.
        const stored = await lock(tx, { tenant, id }, LockMode.PESSIMISTIC_WRITE);
        if (!stored) return;
        recordEvent(tx, events.deleted, stored);
        tx.em.remove(stored);
        await deleteWaiting(tx, tenant, id);
        await deleteHealth(tx, tenant, id);
        await deletePortalsOf(tx, tenant, id);
        await forgetMessages(tx, tenant, id);
      });
      return {};
    },

    ...messageHandlers({ database, limiter, store, deliveryBodyHours }, { type, find, lock }),

    replayFailed: (request: Replay, call: Call) =>
      replayFailed(database, call, request, {
        type,
        action: events.replayed,
        find: (tx, tenant, id) => lock(tx, { tenant, id }, LockMode.PESSIMISTIC_READ),
      }),
  };
}
