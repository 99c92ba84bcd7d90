import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Statement } from '@bailiwick/store';
import type { EndpointColumns } from './api-record.ts';

const columns = `id, tenant, name, kind, active, event_types as "eventTypes", description, dek_id as "dekId",
  disabled_reason as "disabledReason", disabled_at as "disabledAt", created_at as "createdAt", updated_at as "updatedAt"`;

const one: Statement<EndpointColumns, [tenant: string, id: string]> = {
  name: 'notifications.chat_endpoint',
  text: `select ${columns} from chat_endpoint where tenant = $1 and id = $2`,
};
const page: Statement<EndpointColumns, [tenant: string, after: string, limit: number]> = {
  name: 'notifications.chat_endpoints',
  text: `select ${columns} from chat_endpoint where tenant = $1 and id > $2 order by id limit $3`,
};
const tenantOfOne: Statement<{ tenant: string }, [id: string]> = {
  name: 'notifications.chat_endpoint_tenant',
  text: 'select tenant from chat_endpoint where id = $1',
  across:
    'returns the tenant of an endpoint for an update without one; the caller is authorized in it',
};

export async function findEndpoint(
  database: Database,
  tenant: string,
  id: string,
): Promise<EndpointColumns | undefined> {
  const rows = await database.query(one, [tenant, id]);
  return rows[0];
}

/** One row more than the page holds. */
export function listEndpoints(
  database: Database,
  tenant: string,
  { limit, after }: PageQuery,
): Promise<EndpointColumns[]> {
  return database.query(page, [tenant, after, limit]);
}

/** The tenant of an endpoint, for updateEndpoint, which may name an endpoint without its tenant. */
export async function findTenantOfEndpoint(
  database: Database,
  id: string,
): Promise<string | undefined> {
  const rows = await database.query(tenantOfOne, [id]);
  return rows[0]?.tenant;
}

export type ChatTarget = { active: boolean; dekId: string; urlEnc: Uint8Array };

const target: Statement<ChatTarget, [tenant: string, endpoint: string]> = {
  name: 'notifications.chat_target',
  text: 'select active, dek_id as "dekId", url_enc as "urlEnc" from chat_endpoint where tenant = $1 and id = $2',
};

/** The current delivery columns of an endpoint: a URL changed since the event applies. */
export async function findChatTarget(
  database: Database,
  tenant: string,
  endpoint: string,
): Promise<ChatTarget | undefined> {
  const rows = await database.query(target, [tenant, endpoint]);
  return rows[0];
}
