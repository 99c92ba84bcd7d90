import { type Database, type Statement } from '@bailiwick/database';
import type { ChatKind } from '../chat-kinds.ts';
import type { Receiver } from './event.ts';

/** `kind`: the chat service; empty = a webhook. */
export type FanoutEndpoint = Receiver & { kind: ChatKind | ''; createdAt: string };

const fanoutEndpoints: Statement = {
  name: 'notifications.addressees',
  text: `select tenant, id, active, event_types as "eventTypes", '' as kind, created_at as "createdAt" from webhook_endpoint where tenant = any ($1)
         union all select tenant, id, active, event_types, kind, created_at from chat_endpoint where tenant = any ($1)`,
};

/** The endpoints of both kinds of each tenant, in order. `skipReason` filters by EventTypes. */
export async function listFanoutEndpoints(
  database: Database,
  tenants: readonly string[],
): Promise<FanoutEndpoint[][]> {
  const rows = await database.query<FanoutEndpoint & { tenant: string }>(fanoutEndpoints, [
    [...new Set(tenants)],
  ]);
  const byTenant = Map.groupBy(rows, ({ tenant }) => tenant);
  return tenants.map((tenant) => byTenant.get(tenant) ?? []);
}
