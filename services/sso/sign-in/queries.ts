import type { Buffer } from 'node:buffer';
import type { Origin } from '@bailiwick/contract';
import type { Database, Statement } from '@bailiwick/store';

export type FlowRow = {
  id: string;
  request: string;
  dekId: string;
  verifierEnc: Buffer;
  returnTo: string;
  origin: string;
};
type FlowKey = { tenant: string; provider: string; id: string };

const consume: Statement<
  FlowRow,
  [tenant: string, id: string, provider: string, bindingHash: Uint8Array]
> = {
  name: 'sso.consume_flow',
  // Not set to now(): a concurrent statement that began earlier would still see a valid flow.
  text: `with flow as materialized (
           select * from sign_in_flow where tenant = $1 and id = $2 and provider = $3 and binding_hash = $4 and expires_at > now()
           for update)
         update sign_in_flow used set expires_at = to_timestamp(0), dek_id = '', verifier_enc = ''
         from flow where used.tenant = $1 and used.id = flow.id
         returning flow.id, flow.request, flow.dek_id as "dekId", flow.verifier_enc as "verifierEnc", flow.return_to as "returnTo", flow.origin`,
};

/**
 * Ends a flow for the browser that started it. Only one of several concurrent calls gets it;
 * another browser cannot end it.
 */
export async function consumeFlow(
  database: Database,
  call: Origin,
  { tenant, provider, id }: FlowKey,
  bindingHash: Uint8Array,
): Promise<FlowRow | undefined> {
  const rows = await database.write(call, consume, [tenant, id, provider, bindingHash]);
  return rows[0];
}

const waiting: Statement<unknown, [tenant: string, id: string, provider: string]> = {
  name: 'sso.flow_waits',
  text: 'select 1 from sign_in_flow where tenant = $1 and id = $2 and provider = $3 and expires_at > now()',
};

/** Whether another browser has started this flow. */
export async function isFlowWaiting(
  database: Database,
  { tenant, provider, id }: FlowKey,
): Promise<boolean> {
  return (await database.query(waiting, [tenant, id, provider])).length > 0;
}

const pastFlow: Statement<
  PastFlow,
  [tenant: string, id: string, provider: string, bindingHash: Uint8Array]
> = {
  name: 'sso.find_kept_flow',
  text: `select return_to as "returnTo", origin, restarted, expires_at > to_timestamp(0) as unused from sign_in_flow
         where tenant = $1 and id = $2 and provider = $3 and binding_hash = $4 and kept_until > now()`,
};

export type PastFlow = { returnTo: string; origin: string; restarted: boolean; unused: boolean };

/** A flow, also a used or expired one, for the browser that started it. */
export async function findPastFlow(
  database: Database,
  { tenant, provider, id }: FlowKey,
  bindingHash: Uint8Array,
): Promise<PastFlow | undefined> {
  const rows = await database.query(pastFlow, [tenant, id, provider, bindingHash]);
  return rows[0];
}

const restarted: Statement<
  unknown,
  [tenant: string, provider: string, bindingHashes: readonly Uint8Array[]]
> = {
  name: 'sso.has_restarted_flow',
  text: `select 1 from sign_in_flow
         where tenant = $1 and provider = $2 and restarted and binding_hash = any ($3) and kept_until > now() limit 1`,
};

/** Whether a browser has a flow at a provider that began again by itself within the last hour. */
export async function hasRestartedFlow(
  database: Database,
  { tenant, provider }: Omit<FlowKey, 'id'>,
  bindingHashes: readonly Uint8Array[],
): Promise<boolean> {
  if (bindingHashes.length === 0) return false;
  return (await database.query(restarted, [tenant, provider, bindingHashes])).length > 0;
}

const take: Statement<unknown, [tenant: string, provider: string, id: string, expiresAt: Date]> = {
  name: 'sso.take_assertion',
  text: 'insert into used_assertion (tenant, provider, id, expires_at) values ($1, $2, $3, $4) on conflict do nothing returning 1 as taken',
};

/** Whether an assertion is used for the first time. It is remembered until it expires. */
export async function takeAssertion(
  database: Database,
  call: Origin,
  { tenant, provider, id }: FlowKey,
  expiresAt: Date,
): Promise<boolean> {
  return (await database.write(call, take, [tenant, provider, id, expiresAt])).length > 0;
}

const sweepFlows: Statement<never, []> = {
  name: 'sso.sweep_flows',
  text: 'delete from sign_in_flow where kept_until < now() and expires_at < now()',
  across: 'the sweeper covers all tenants',
};
const sweepAssertions: Statement<never, []> = {
  name: 'sso.sweep_assertions',
  text: 'delete from used_assertion where expires_at < now()',
  across: 'the sweeper covers all tenants',
};

/** Erases expired flows and assertions. */
export async function sweepSignIns(database: Database, call: Origin): Promise<void> {
  await Promise.all([
    database.write(call, sweepFlows, []),
    database.write(call, sweepAssertions, []),
  ]);
}
