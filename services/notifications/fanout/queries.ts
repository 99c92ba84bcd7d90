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

// Both kinds of endpoints have an index of their active event types.
const wanted: Statement = {
  name: 'notifications.wanted',
  text: `select exists (select from webhook_endpoint where active and (event_types = '{}' or event_types && $1::text[]))
           or exists (select from chat_endpoint where active and (event_types = '{}' or event_types && $1::text[])) as wanted`,
};

/**
 * Whether any endpoint wants events of this type now: by name, by family (`user.*`) or because it
 * wants all types. `isSubscribed` decides for each endpoint.
 */
export async function isWanted(database: Database, type: string): Promise<boolean> {
  const words = type.split('.');
  const families = words.slice(1).map((_, at) => `${words.slice(0, at + 1).join('.')}.*`);
  const [row] = await database.query<{ wanted: boolean }>(wanted, [[type, ...families]]);
  return row?.wanted ?? true;
}
