import type { Database, Statement } from '@bailiwick/store';
import type { ChatKind } from '../chat-kinds.ts';
import { namesFor, type Receiver } from './event.ts';

/** `kind`: the chat service; empty = a webhook. */
export type FanoutEndpoint = Receiver & { kind: ChatKind | ''; createdAt: string };

const fanoutEndpoints: Statement<FanoutEndpoint & { tenant: string }, [tenant: readonly string[]]> =
  {
    name: 'notifications.addressees',
    text: `select tenant, id, active, event_types as "eventTypes", '' as kind, created_at as "createdAt" from webhook_endpoint where tenant = any ($1)
         union all select tenant, id, active, event_types, kind, created_at from chat_endpoint where tenant = any ($1)`,
  };

/** The endpoints of both kinds of each tenant, in order. `skipReason` filters by EventTypes. */
export async function listFanoutEndpoints(
  database: Database,
  tenants: readonly string[],
): Promise<FanoutEndpoint[][]> {
  const rows = await database.query(fanoutEndpoints, [[...new Set(tenants)]]);
  const byTenant = Map.groupBy(rows, ({ tenant }) => tenant);
  return tenants.map((tenant) => byTenant.get(tenant) ?? []);
}

// Both kinds of endpoints have an index of their active event types.
const subscribedTypes: Statement<{ type: string }, [types: string]> = {
  name: 'notifications.wanted',
  text: `select asked.type from jsonb_to_recordset($1::jsonb) as asked (type text, names text[])
         where exists (select from webhook_endpoint where active and (event_types = '{}' or event_types && asked.names))
            or exists (select from chat_endpoint where active and (event_types = '{}' or event_types && asked.names))`,
  between: 'fan-out asks whether any tenant wants a type; returns no tenant data',
};

/** The types of which any endpoint wants events now. `isSubscribed` decides for each endpoint. */
export async function findSubscribedTypes(
  database: Database,
  types: ReadonlySet<string>,
): Promise<Set<string>> {
  const requested = [...types].map((type) => ({ type, names: namesFor(type) }));
  const rows = await database.query(subscribedTypes, [JSON.stringify(requested)]);
  return new Set(rows.map(({ type }) => type));
}
