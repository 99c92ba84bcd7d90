import type { Buffer } from 'node:buffer';
import { type Database, type Statement } from '@bailiwick/database';

export type FlowRow = {
  id: string;
  request: string;
  dekId: string;
  verifierEnc: Buffer;
  returnTo: string;
  origin: string;
};
type FlowKey = { tenant: string; provider: string; id: string };

const consume: Statement = {
  name: 'sso.consume_flow',
  text: `delete from sign_in_flow where tenant = $1 and id = $2 and provider = $3 and binding_hash = $4 and expires_at > now()
         returning id, request, dek_id as "dekId", verifier_enc as "verifierEnc", return_to as "returnTo", origin`,
};

/**
 * Ends a flow for the browser that started it. Only one of several concurrent calls gets it;
 * another browser cannot end it.
 */
export async function consumeFlow(
  database: Database,
  { tenant, provider, id }: FlowKey,
  bindingHash: Uint8Array,
): Promise<FlowRow | undefined> {
  const rows = await database.query<FlowRow>(consume, [tenant, id, provider, bindingHash]);
  return rows[0];
}

const waiting: Statement = {
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

const take: Statement = {
  name: 'sso.take_assertion',
  text: 'insert into used_assertion (tenant, provider, id, expires_at) values ($1, $2, $3, $4) on conflict do nothing returning 1 as taken',
};

/** Whether an assertion is used for the first time. It is remembered until it expires. */
export async function takeAssertion(
  database: Database,
  { tenant, provider, id }: FlowKey,
  expiresAt: Date,
): Promise<boolean> {
  return (await database.query(take, [tenant, provider, id, expiresAt])).length > 0;
}

const sweepFlows: Statement = {
  name: 'sso.sweep_flows',
  text: 'delete from sign_in_flow where expires_at < now()',
};
const sweepAssertions: Statement = {
  name: 'sso.sweep_assertions',
  text: 'delete from used_assertion where expires_at < now()',
};

/** Erases expired flows and assertions. */
export async function sweepSignIns(database: Database): Promise<void> {
  await Promise.all([database.query(sweepFlows, []), database.query(sweepAssertions, [])]);
}
