import { insertText, type OutboxRow, type RowValues, valuesOf } from '@bailiwick/outbox';
import type { Database, Run, Statement } from '@bailiwick/store';
import type { ChatKind } from '../chat-kinds.ts';
import { namesFor, type Receiver } from './event.ts';

/** `kind`: the chat service; empty = a webhook. */
export type FanoutEndpoint = Receiver & { kind: ChatKind | ''; createdAt: string };

type TenantEndpoint = FanoutEndpoint & { tenant: string };

/** `tenants`: the condition for the column tenant. */
const endpointsOf = (tenants: string) =>
  `select tenant, id, active, event_types as "eventTypes", '' as kind, created_at as "createdAt" from webhook_endpoint where tenant ${tenants}
         union all select tenant, id, active, event_types, kind, created_at from chat_endpoint where tenant ${tenants}`;

const fanoutEndpoints: Statement<TenantEndpoint, [tenant: readonly string[]]> = {
  name: 'notifications.addressees',
  text: endpointsOf('= any ($1)'),
};

const insertEvents: Statement<TenantEndpoint, RowValues> = {
  name: 'notifications.insert_events',
  text: `with recorded as (${insertText} returning for_tenant)
         ${endpointsOf('in (select for_tenant from recorded)')}`,
  across: 'each event goes to the endpoints of its own tenant',
};

/** Writes the outbox rows of events, and returns the endpoints of each tenant at that time. */
export async function insertWithEndpoints(
  run: Run,
  rows: readonly OutboxRow[],
): Promise<Map<string, FanoutEndpoint[]>> {
  return Map.groupBy(await run(insertEvents, valuesOf(rows)), ({ tenant }) => tenant);
}

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
