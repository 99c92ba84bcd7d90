import {
  type Database,
  type EntityManager,
  execute,
  type Run,
  type Statement,
} from '@bailiwick/database';
import type { LinkedEntry } from './append.ts';
import type { Entry, Link } from './chain.ts';
import type { AuditRow } from './entities.ts';

export async function findTenants(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await execute<{ id: string }>(
    em,
    'select id from tenant where id in (select jsonb_array_elements_text($1::jsonb))',
    [JSON.stringify(ids)],
  );
  return rows.map(({ id }) => id);
}

/**
 * Locks the heads of these chains until the transaction ends. `tenants` must be sorted, so that two
 * appenders never deadlock.
 */
export async function lockHeads(
  em: EntityManager,
  tenants: readonly string[],
): Promise<Array<[string, Link]>> {
  const names = JSON.stringify(tenants);
  await execute(
    em,
    `insert into audit_head (tenant, seq, hash) select name, 0, '' from jsonb_array_elements_text($1::jsonb) as t (name) order by name on conflict do nothing`,
    [names],
  );
  const rows = await execute<Link & { tenant: string }>(
    em,
    'select tenant, seq, hash from audit_head where tenant in (select jsonb_array_elements_text($1::jsonb)) order by tenant for update',
    [names],
  );
  return rows.map(({ tenant, seq, hash }) => [tenant, { seq, hash }]);
}

/** Ids of the entries that are stored already. */
export async function findStored(em: EntityManager, entries: readonly Entry[]): Promise<string[]> {
  const keys = JSON.stringify(entries.map(({ Tenant, ID }) => ({ tenant: Tenant, id: ID })));
  const rows = await execute<{ id: string }>(
    em,
    'select e.id from audit_entry e join jsonb_to_recordset($1::jsonb) as k (tenant text, id text) on e.tenant = k.tenant and e.id = k.id',
    [keys],
  );
  return rows.map(({ id }) => id);
}

export async function insertEntries(
  em: EntityManager,
  entries: readonly LinkedEntry[],
): Promise<void> {
  const rows = entries.map((entry) => ({
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
  }));
  await execute(
    em,
    'insert into audit_entry select * from jsonb_populate_recordset(null::audit_entry, $1::jsonb)',
    [JSON.stringify(rows)],
  );
}

export async function moveHeads(
  em: EntityManager,
  heads: ReadonlyMap<string, Link>,
): Promise<void> {
  const rows = [...heads].map(([tenant, { seq, hash }]) => ({ tenant, seq, hash }));
  await execute(
    em,
    `update audit_head h set seq = n.seq, hash = n.hash
     from jsonb_to_recordset($1::jsonb) as n (tenant text, seq int, hash text) where h.tenant = n.tenant`,
    [JSON.stringify(rows)],
  );
}

/** The filters of a list; null = no filter. */
export type EntryFilter = {
  actions: string[] | null;
  actorIds: string[] | null;
  targetIds: string[] | null;
  ip: string | null;
  result: string | null;
  from: Date | null;
  to: Date | null;
};

const columns = `tenant, id, seq, occurred_at as "occurredAt", action, operation, result, code, actor_type as "actorType", actor_id as "actorId",
  credential_id as "credentialId", targets, permission, grant_id as "grantId", ip, user_agent as "userAgent", request_id as "requestId",
  trace_id as "traceId", changes, prev_hash as "prevHash", hash`;

const filtered = `($4::text[] is null or action = any ($4)) and ($5::text[] is null or actor_id = any ($5)) and ($6::text[] is null or target_ids && $6)
  and ($7::text is null or ip = $7) and ($8::text is null or result = $8)
  and ($9::timestamptz is null or occurred_at >= $9) and ($10::timestamptz is null or occurred_at < $10)`;

const filterValues = (filter: EntryFilter) => [
  filter.actions,
  filter.actorIds,
  filter.targetIds,
  filter.ip,
  filter.result,
  filter.from,
  filter.to,
];

const entriesOfTenant: Statement = {
  name: 'access.audit_of_tenant',
  text: `select ${columns} from audit_entry where tenant = $1 and seq < coalesce($2::int, 2147483647) and ${filtered} order by seq desc limit $3`,
};

export type EntryPage = { after: string; limit: number; filter: EntryFilter };

/** A tenant's entries before the sequence number `after`, newest first. */
export function entriesOf(
  database: Database,
  tenant: string,
  { after, limit, filter }: EntryPage,
): Promise<AuditRow[]> {
  return database.query<AuditRow>(entriesOfTenant, [
    tenant,
    after === '' ? null : Number(after),
    limit,
    ...filterValues(filter),
  ]);
}

// Every id begins with "aud_", so it sorts before "b".
const entriesOfActor: Statement = {
  name: 'access.audit_of_actor',
  text: `select ${columns} from audit_entry where actor_id = $1 and actor_type = 'user' and id < coalesce($2::text, 'b') and ${filtered}
         and ($11::text = '' or tenant = $11)
         and ($12::text is null or tenant = $12 or not exists (select 1 from tenant t where t.id = audit_entry.tenant and t.settings @> '{"requireSso": true}'))
         order by id desc limit $3`,
};

/** `ssoTenant` has the meaning that it has in Reach. */
export type ActorPage = EntryPage & { tenant: string; ssoTenant: string | null };

/**
 * The entries of a user's actions, in one tenant or ("") in all, before the entry `after`, newest
 * first.
 */
export function entriesBy(
  database: Database,
  userId: string,
  { after, limit, filter, tenant, ssoTenant }: ActorPage,
): Promise<AuditRow[]> {
  return database.query<AuditRow>(entriesOfActor, [
    userId,
    after || null,
    limit,
    ...filterValues(filter),
    tenant,
    ssoTenant,
  ]);
}

const entriesForward: Statement = {
  name: 'access.audit_forward',
  text: `select ${columns} from audit_entry where tenant = $1 and seq > $2 and ${filtered} and seq <= $11 order by seq limit $3`,
};

export type Stretch = { upTo: number; limit: number; filter?: EntryFilter };

const unfiltered: EntryFilter = {
  actions: null,
  actorIds: null,
  targetIds: null,
  ip: null,
  result: null,
  from: null,
  to: null,
};

/** A tenant's entries after a sequence number, oldest first. */
export function entriesAfter(
  database: Database,
  tenant: string,
  seq: number,
  { upTo, limit, filter = unfiltered }: Stretch,
): Promise<AuditRow[]> {
  return database.query<AuditRow>(entriesForward, [
    tenant,
    seq,
    limit,
    ...filterValues(filter),
    upTo,
  ]);
}

/** Like entriesAfter, without a filter and within a transaction. */
export function entriesBehind(
  run: Run,
  tenant: string,
  seq: number,
  { upTo, limit }: Stretch,
): Promise<AuditRow[]> {
  return run<AuditRow>(entriesForward, [tenant, seq, limit, ...filterValues(unfiltered), upTo]);
}

export type Checkpoint = Link & { signature: string };

const chainEnds: Statement = {
  name: 'access.audit_ends',
  text: `select h.seq as "headSeq", h.hash as "headHash", c.seq, c.hash, c.signature
         from audit_head h left join audit_checkpoint c on c.tenant = h.tenant where h.tenant = $1`,
};

type EndsRow = {
  headSeq: number;
  headHash: string;
  seq: number | null;
  hash: string | null;
  signature: string | null;
};

/** The last link of a tenant's chain, and its checkpoint if older entries were dropped. */
export async function findChain(
  run: Run,
  tenant: string,
): Promise<{ head: Link; checkpoint: Checkpoint | undefined }> {
  const [row] = await run<EndsRow>(chainEnds, [tenant]);
  if (!row) return { head: { seq: 0, hash: '' }, checkpoint: undefined };
  const { headSeq, headHash, seq, hash, signature } = row;
  return {
    head: { seq: headSeq, hash: headHash },
    checkpoint: seq === null ? undefined : { seq, hash: hash ?? '', signature: signature ?? '' },
  };
}

const keptDays = `greatest(coalesce(nullif((t.settings->>'auditRetentionDays')::int, 0), $1), 7)`;

const due: Statement = {
  name: 'access.audit_due',
  text: `select h.tenant from audit_head h left join tenant t on t.id = h.tenant
         cross join lateral (select e.seq, e.occurred_at from audit_entry e where e.tenant = h.tenant order by e.seq limit 1) oldest
         where oldest.seq < h.seq and oldest.occurred_at < now() - make_interval(days => ${keptDays}) order by h.tenant`,
};

/** The tenants whose oldest entry is past retention. The newest entry of a chain is always kept. */
export async function findDue(database: Database, retentionDays: number): Promise<string[]> {
  const rows = await database.query<{ tenant: string }>(due, [retentionDays]);
  return rows.map(({ tenant }) => tenant);
}

/** The last of the first `limit` entries of a chain up to which all are past retention. */
export async function findLastDue(
  em: EntityManager,
  tenant: string,
  retentionDays: number,
  limit: number,
): Promise<Link | undefined> {
  const [row] = await execute<Link>(
    em,
    `with beginning as (
       select e.seq, e.hash, e.occurred_at < now() - make_interval(days => ${keptDays}) as old
       from audit_entry e left join tenant t on t.id = e.tenant where e.tenant = $2 order by e.seq limit $3
     )
     select b.seq, b.hash from beginning b
     where b.seq < (select h.seq from audit_head h where h.tenant = $2) and not exists (select 1 from beginning n where n.seq <= b.seq and not n.old)
     order by b.seq desc limit 1`,
    [retentionDays, tenant, limit],
  );
  return row;
}

export async function saveCheckpoint(
  em: EntityManager,
  tenant: string,
  { seq, hash, signature }: Checkpoint,
): Promise<void> {
  await execute(
    em,
    `insert into audit_checkpoint as c (tenant, seq, hash, signature, created_at) values ($1, $2, $3, $4, now())
     on conflict (tenant) do update set seq = excluded.seq, hash = excluded.hash, signature = excluded.signature, created_at = excluded.created_at
     where c.seq < excluded.seq`,
    [tenant, seq, hash, signature],
  );
}

const signedByOthers: Statement = {
  name: 'access.checkpoints_signed_by_others',
  text: 'select tenant, seq::float8 as seq, hash, signature from audit_checkpoint where not starts_with(signature, $1)',
};

/** The checkpoints whose signatures do not begin with this prefix. */
export const listSignedByOtherKeys = (
  database: Database,
  prefix: string,
): Promise<Array<Checkpoint & { tenant: string }>> => database.query(signedByOthers, [prefix]);

/** Replaces a checkpoint's signature, unless it has changed since it was read. */
export async function replaceSignature(
  em: EntityManager,
  { tenant, signature }: { tenant: string; signature: string },
  next: string,
): Promise<void> {
  await execute(
    em,
    'update audit_checkpoint set signature = $3 where tenant = $1 and signature = $2',
    [tenant, signature, next],
  );
}

/** Drops a tenant's entries up to its checkpoint. */
export async function dropEntries(em: EntityManager, tenant: string): Promise<number> {
  const [row] = await execute<{ dropped: number }>(em, 'select drop_audit($1) as dropped', [
    tenant,
  ]);
  return row?.dropped ?? 0;
}
