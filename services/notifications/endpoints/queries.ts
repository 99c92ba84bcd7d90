import type { PageQuery } from '@bailiwick/shared/page.ts';
import type { Database, EntityManager, Statement } from '@bailiwick/shared/orm.ts';
import { execute } from '@bailiwick/shared/orm.ts';
import type { EndpointRecord } from './record.ts';

const columns = `id, tenant, name, url, active, event_types as "eventTypes", description, rate_limit as "rateLimit", dek_id as "dekId",
  disabled_reason as "disabledReason", disabled_at as "disabledAt", created_at as "createdAt", updated_at as "updatedAt"`;

const one: Statement = { name: 'notifications.webhook_endpoint', text: `select ${columns} from webhook_endpoint where tenant = $1 and id = $2` };
const page: Statement = {
  name: 'notifications.webhook_endpoints',
  text: `select ${columns} from webhook_endpoint where tenant = $1 and id > $2 order by id limit $3`,
};
const tenantOfOne: Statement = { name: 'notifications.webhook_endpoint_tenant', text: 'select tenant from webhook_endpoint where id = $1' };

export async function findEndpoint(database: Database, tenant: string, id: string): Promise<EndpointRecord | undefined> {
  const rows = await database.query<EndpointRecord>(one, [tenant, id]);
  return rows[0];
}

/** One more than the page holds. */
export function listEndpoints(database: Database, tenant: string, { limit, after }: PageQuery): Promise<EndpointRecord[]> {
  return database.query<EndpointRecord>(page, [tenant, after, limit + 1]);
}

/** The tenant an endpoint belongs to: for the one operation that may name an endpoint and no tenant. */
export async function findTenantOfEndpoint(database: Database, id: string): Promise<string | undefined> {
  const rows = await database.query<{ tenant: string }>(tenantOfOne, [id]);
  return rows[0]?.tenant;
}

/** Forgets what waits to be delivered to an endpoint, dead letters included. */
export async function deleteWaiting(em: EntityManager, tenant: string, endpoint: string): Promise<void> {
  await execute(em, 'delete from delivery_waiting where tenant = $1 and endpoint = $2', [tenant, endpoint]);
}
