import type { Database, Statement } from '@bailiwick/shared/orm.ts';

export type ActiveEndpoint = { id: string; eventTypes: string[] };

const active: Statement = {
  name: 'notifications.active_endpoints',
  text: 'select id, event_types as "eventTypes" from webhook_endpoint where tenant = $1 and active',
};

export function listActiveEndpoints(database: Database, tenant: string): Promise<ActiveEndpoint[]> {
  return database.query<ActiveEndpoint>(active, [tenant]);
}
