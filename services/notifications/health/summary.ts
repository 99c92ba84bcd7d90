import { timeOf } from '@bailiwick/contract';
import type { EndpointHealthSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/health_pb.ts';
import type { Database } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type HealthRow, listHealth } from './queries.ts';

/** The endpoint columns that the health depends on. */
export type Switchable = {
  id: string;
  active: boolean;
  disabledAt?: Date | string | null | undefined;
};

export type HealthRecord = MessageInitShape<typeof EndpointHealthSchema>;

/** The health of endpoints of one tenant by their ids, with one statement for all. */
export async function findHealth(
  database: Database,
  tenant: string,
  endpoints: readonly Switchable[],
): Promise<(endpoint: Switchable) => HealthRecord> {
  const rows = endpoints.length === 0 ? [] : await listHealth(database, tenant, endpoints);
  const rowById = new Map(rows.map((row) => [row.endpoint, row]));
  return (endpoint) => healthRecord(endpoint, rowById.get(endpoint.id));
}

/** The API records of endpoints of one tenant, each with its health. */
export async function withHealth<Row extends Switchable, Shown extends object>(
  database: Database,
  tenant: string,
  rows: readonly Row[],
  toApi: (row: Row) => Shown | Promise<Shown>,
): Promise<Array<Shown & { health: HealthRecord }>> {
  const healthOf = await findHealth(database, tenant, rows);
  return Promise.all(rows.map(async (row) => ({ ...(await toApi(row)), health: healthOf(row) })));
}

function healthRecord({ active }: Switchable, row: HealthRow | undefined): HealthRecord {
  if (!row) throw new Error('the health query returned no row for an endpoint');
  const { failingSince, pausedUntil, waiting, attempts, delivered } = row;
  return {
    state: stateOf(active, row),
    ...(failingSince && { failingSince: timeOf(failingSince) }),
    ...(pausedUntil && { pausedUntil: timeOf(pausedUntil) }),
    waiting,
    attempts,
    successPercent: attempts === 0 ? 0 : Math.floor((100 * delivered) / attempts),
    ...lastError(row),
  };
}

function stateOf(active: boolean, { failingSince, pausedUntil }: HealthRow): string {
  if (!active) return 'off';
  if (pausedUntil) return 'paused';
  return failingSince ? 'failing' : 'delivering';
}

// The message of an attempt may contain text of the receiver.
function lastError({ status, statusCode, error, startedAt }: HealthRow) {
  if (!startedAt || (status !== 'retry' && status !== 'failed')) return {};
  return { lastError: { statusCode, error, at: timeOf(startedAt) } };
}
