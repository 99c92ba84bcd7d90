import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import { trendActions } from '../../counts/trends.ts';
import type { Entry, Link } from '../chain.ts';

export type LinkedEntry = Entry & { Seq: number; PrevHash: string; Hash: string };

/** Locks the head of a tenant's chain until the transaction ends. */
export async function lockHead(tx: Transaction, tenant: string): Promise<void> {
  await tx.query('select from audit_head where tenant = $1 for update', [tenant]);
}

/** A chain before an append: its last link, and which of the entries it has already. */
export type Chain = { tenant: string; known: boolean; last: Link; stored: string[] };

const chainsOf: Statement<
  Link & Omit<Chain, 'last'>,
  [tenants: readonly string[], ids: readonly string[]]
> = {
  name: 'access.audit_chains',
  text: `select n.tenant, n.tenant = '' or exists (select from tenant t where t.id = n.tenant) as known,
           coalesce(h.seq, 0) as seq, coalesce(h.hash, '') as hash,
           array(select e.id from audit_entry e where e.tenant = n.tenant and e.id = any ($2::text[])) as stored
         from unnest($1::text[]) as n (tenant) left join audit_head h on h.tenant = n.tenant`,
};

/** The chains of these tenants. `ids`: the entries to append. */
export async function findChains(
  database: Database,
  tenants: readonly string[],
  ids: readonly string[],
): Promise<Chain[]> {
  const rows = await database.query(chainsOf, [tenants, ids]);
  return rows.map(({ seq, hash, ...chain }) => ({ ...chain, last: { seq, hash } }));
}

// Locks the heads in order, so that two appenders never deadlock. A head that another appender has
// moved since it was read gets nothing: neither the head nor the entries. The counts of sign-ins
// change under the head of the platform's chain, which has their entries, and those of denied calls
// under the tenant's head: two appenders never wait for each other's counts. At most 1,000 tenants of
// a user count a sign-in, because each locks a row until the entries are stored.
const append: Statement<{ tenant: string }, [heads: string, entries: string]> = {
  name: 'access.audit_append',
  text: `with given as (
           select * from jsonb_to_recordset($1::jsonb) as g (tenant text, seq int, hash text, "lastSeq" int, "lastHash" text)
         ), started as (
           insert into audit_head (tenant, seq, hash) select tenant, seq, hash from given where "lastSeq" = 0 order by tenant
           on conflict do nothing returning tenant
         ), unmoved as (
           select h.tenant from audit_head h join given g on g.tenant = h.tenant and g."lastSeq" = h.seq and g."lastHash" = h.hash
           order by h.tenant for update of h
         ), moved as (
           update audit_head h set seq = g.seq, hash = g.hash
           from unmoved u join given g on g.tenant = u.tenant where h.tenant = u.tenant returning h.tenant
         ), ours as (
           select tenant from started union all select tenant from moved
         ), stored as (
           insert into audit_entry
           select e.* from jsonb_populate_recordset(null::audit_entry, $2::jsonb) e where e.tenant in (select tenant from ours)
           returning tenant, action, result, actor_id, occurred_at as at
         ), happened as (
           select s.tenant, 'denied' as kind, s.at, 1 as count from stored s where s.result = 'denied'
           union all select '', 'sign_in', s.at, 1 from stored s where s.action = 'user.signed_in'
           union all select m.tenant, 'sign_in', s.at, 1 from stored s cross join lateral (
             select tenant from tenant_member where user_id = s.actor_id and status = 'active' order by tenant limit 1000
           ) m where s.action = 'user.signed_in'
         ), changed as (
           select s.tenant, k.kind, s.at, k.count from stored s join (${trendActions}) as k (action, kind, count) on k.action = s.action
           where s.result = 'success' and s.tenant <> ''
         ), counted as (
           insert into daily_count as c (tenant, kind, day, count)
           select tenant, kind, (at at time zone 'UTC')::date as day, sum(count) from (
             select h.tenant, h.kind, h.at, h.count from happened h union all select x.tenant, x.kind, x.at, x.count from changed x
           ) as one group by tenant, kind, day order by tenant, kind, day
           on conflict (tenant, kind, day) do update set count = c.count + excluded.count
         ), counted_by_hour as (
           insert into hourly_count as c (tenant, kind, hour, count)
           select tenant, kind, date_trunc('hour', at, 'UTC') as hour, sum(count) from happened
           where tenant <> '' and at >= now() - interval '1 day' group by tenant, kind, hour order by tenant, kind, hour
           on conflict (tenant, kind, hour) do update set count = c.count + excluded.count
         )
         select tenant from ours`,
  between: 'counts a sign-in in each tenant of the user; returns no tenant data',
};

/** The new last link of a tenant's chain, and the one that it was before. */
export type Move = { tenant: string; from: Link; to: Link };

/**
 * Stores entries with the moves of their chains. Returns the tenants whose chain was still at
 * `from`; the others got nothing.
 */
export async function appendToChains(
  database: Database,
  call: Origin,
  moves: readonly Move[],
  entries: readonly LinkedEntry[],
): Promise<string[]> {
  const heads = moves.map(({ tenant, from, to }) => ({
    tenant,
    ...to,
    lastSeq: from.seq,
    lastHash: from.hash,
  }));
  const rows = await database.write(call, append, [
    JSON.stringify(heads),
    JSON.stringify(entries.map(rowOf)),
  ]);
  return rows.map(({ tenant }) => tenant);
}

const rowOf = (entry: LinkedEntry) => ({
  tenant: entry.Tenant,
  id: entry.ID,
  seq: entry.Seq,
  occurred_at: entry.OccurredAt,
  action: entry.Action,
  operation: entry.Operation,
  result: entry.Result,
  code: entry.Code,
  actor_type: entry.ActorType,
  actor_id: entry.ActorID,
  credential_id: entry.CredentialID,
  targets: entry.Targets,
  target_ids: entry.Targets.map(({ ID }) => ID),
  permission: entry.Permission,
  grant_id: entry.GrantID,
  ip: entry.IP,
  user_agent: entry.UserAgent,
  request_id: entry.RequestID,
  trace_id: entry.TraceID,
  changes: entry.Changes,
  prev_hash: entry.PrevHash,
  hash: entry.Hash,
});
