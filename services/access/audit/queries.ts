import type { Database, Run, Statement } from '@bailiwick/store';
import {
  demandsMore,
  type ProofInTenants,
  type ProofValues,
  proofValues,
} from '../decisions/session.ts';
import type { Link } from './chain.ts';
import type { AuditRow } from './entities.ts';

/** The filters of a list; null = no filter. */
export type EntryFilter = {
  actions: string[] | null;
  actorIds: string[] | null;
  targetIds: string[] | null;
  ip: string | null;
  result: string | null;
  from: Date | null;
  to: Date | null;
  /** Absent if not sent, so that cursors from before these fields stay valid. */
  actionPrefix?: string;
  operationPrefix?: string;
  /** The operations that the prefix stands for in one tenant. */
  operations?: string[];
};

export const columns = `tenant, id, seq, occurred_at as "occurredAt", action, operation, result, code, actor_type as "actorType", actor_id as "actorId",
  credential_id as "credentialId", targets, permission, grant_id as "grantId", ip, user_agent as "userAgent", request_id as "requestId",
  trace_id as "traceId", changes, prev_hash as "prevHash", hash`;

export const filtered = `($4::text[] is null or action = any ($4)) and ($5::text[] is null or actor_id = any ($5)) and ($6::text[] is null or target_ids && $6)
  and ($7::text is null or ip = $7) and ($8::text is null or result = $8)
  and ($9::timestamptz is null or occurred_at >= $9) and ($10::timestamptz is null or occurred_at < $10)`;

export type FilterValues = ReturnType<typeof filterValues>;

export const filterValues = (filter: EntryFilter) =>
  [
    filter.actions,
    filter.actorIds,
    filter.targetIds,
    filter.ip,
    filter.result,
    filter.from,
    filter.to,
  ] as const;

/** Matches the prefixes, whose parameters are these. Wildcards have no meaning. */
const prefixed = (action: string, operation: string) =>
  `(${action}::text is null or starts_with(action, ${action})) and (${operation}::text is null or starts_with(operation, ${operation}))`;

const prefixValues = ({ actionPrefix, operationPrefix }: EntryFilter) =>
  [actionPrefix ?? null, operationPrefix ?? null] as const;

export type EntryPage = { after: string; limit: number; filter: EntryFilter };

// Every id begins with "aud_", so it sorts before "b".
const entriesOfActor: Statement<
  AuditRow,
  [
    userId: string,
    after: string | null,
    limit: number,
    ...filter: FilterValues,
    tenant: string,
    ...proof: ProofValues,
    ...prefixes: ReturnType<typeof prefixValues>,
  ]
> = {
  name: 'access.audit_of_actor',
  text: `select ${columns} from audit_entry where actor_id = $1 and actor_type = 'user' and id < coalesce($2::text, 'b') and ${filtered}
         and ($11::text = '' or tenant = $11)
         and not exists (select 1 from tenant t where t.id = audit_entry.tenant and ${demandsMore('$12', '$13', '$14')})
         and ${prefixed('$15', '$16')}
         order by id desc limit $3`,
  across: "lists the user's own actions, in the tenants that the caller may see",
};

export type ActorPage = EntryPage & ProofInTenants & { tenant: string };

/**
 * The entries of a user's actions, in one tenant or ("") in all, before the entry `after`, newest
 * first.
 */
export function entriesBy(
  database: Database,
  userId: string,
  { after, limit, filter, tenant, ...proof }: ActorPage,
): Promise<AuditRow[]> {
  return database.query(entriesOfActor, [
    userId,
    after || null,
    limit,
    ...filterValues(filter),
    tenant,
    ...proofValues(proof),
    ...prefixValues(filter),
  ]);
}

const entriesForward: Statement<
  AuditRow,
  [
    tenant: string,
    seq: number,
    limit: number,
    ...filter: FilterValues,
    upTo: number,
    ...prefixes: ReturnType<typeof prefixValues>,
  ]
> = {
  name: 'access.audit_forward',
  text: `select ${columns} from audit_entry where tenant = $1 and seq > $2 and ${filtered} and ${prefixed('$12', '$13')} and seq <= $11 order by seq limit $3`,
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
  return database.query(entriesForward, [
    tenant,
    seq,
    limit,
    ...filterValues(filter),
    upTo,
    ...prefixValues(filter),
  ]);
}

/** Like entriesAfter, without a filter and within a transaction. */
export function entriesBehind(
  run: Run,
  tenant: string,
  seq: number,
  { upTo, limit }: Stretch,
): Promise<AuditRow[]> {
  return run(entriesForward, [
    tenant,
    seq,
    limit,
    ...filterValues(unfiltered),
    upTo,
    ...prefixValues(unfiltered),
  ]);
}

export type Checkpoint = Link & { signature: string };

const chainEnds: Statement<EndsRow, [tenant: string]> = {
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
  const [row] = await run(chainEnds, [tenant]);
  if (!row) return { head: { seq: 0, hash: '' }, checkpoint: undefined };
  const { headSeq, headHash, seq, hash, signature } = row;
  return {
    head: { seq: headSeq, hash: headHash },
    checkpoint: seq === null ? undefined : { seq, hash: hash ?? '', signature: signature ?? '' },
  };
}
