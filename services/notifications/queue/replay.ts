import type { Origin } from '@bailiwick/contract';
import { failedPrecondition, notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Database, Transaction } from '@bailiwick/store';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { rowOf } from '../rows.ts';
import { replayDead } from './queries.ts';

export type Replay = {
  tenant: string;
  id: string;
  since?: Timestamp | undefined;
  until?: Timestamp | undefined;
};

/** Locks the endpoint, and returns its name and whether it is active. */
type Find = (
  tx: Transaction,
  tenant: string,
  id: string,
) => Promise<{ name: string; active: boolean } | null>;

/**
 * Replays an endpoint's dead letters. Audited, but no event: the endpoint has not changed. Throws
 * not_found, and failed_precondition if the endpoint is inactive, because every delivery would be
 * dropped.
 */
export async function replayFailed(
  database: Database,
  origin: Origin,
  { tenant, id, since, until }: Replay,
  kind: { type: string; action: string; find: Find },
) {
  const within = {
    since: since ? timestampDate(since) : new Date(0),
    until: until ? timestampDate(until) : new Date(),
  };
  const queued = await database.transaction(
    { call: origin, tenant, row: rowOf.endpoint(tenant, id) },
    async (tx) => {
      const endpoint = await kind.find(tx, tenant, id);
      if (!endpoint) throw notFound('endpoint');
      if (!endpoint.active)
        throw failedPrecondition('the endpoint is inactive', 'ENDPOINT_INACTIVE');
      const targets = [{ Type: kind.type, ID: id, Name: endpoint.name }];
      record(tx, { tenant, type: kind.action, data: null, targets });
      return replayDead(tx, tenant, id, within);
    },
  );
  return { queued };
}
