import type { Database, Statement, Transaction } from '@bailiwick/store';
import type { Link } from '../chain.ts';
import type { Checkpoint } from '../queries.ts';

// Entries past retention, and the checkpoint that a chain goes on from when they are dropped.

const keptDays = `greatest(coalesce(nullif((t.settings->>'auditRetentionDays')::int, 0), $1), 7)`;

const due: Statement<{ tenant: string }, [retentionDays: number]> = {
  name: 'access.audit_due',
  text: `select h.tenant from audit_head h left join tenant t on t.id = h.tenant
         cross join lateral (select e.seq, e.occurred_at from audit_entry e where e.tenant = h.tenant order by e.seq limit 1) oldest
         where oldest.seq < h.seq and oldest.occurred_at < now() - make_interval(days => ${keptDays}) order by h.tenant`,
  across: 'deletes expired entries of all tenants, each by the retention of its tenant',
};

/** The tenants whose oldest entry is past retention. The newest entry of a chain is always kept. */
export async function findDue(database: Database, retentionDays: number): Promise<string[]> {
  const rows = await database.query(due, [retentionDays]);
  return rows.map(({ tenant }) => tenant);
}

/** The last of the first `limit` entries of a chain up to which all are past retention. */
export async function findLastDue(
  tx: Transaction,
  tenant: string,
  retentionDays: number,
  limit: number,
): Promise<Link | undefined> {
  const [row] = await tx.query<Link>(
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
  tx: Transaction,
  tenant: string,
  { seq, hash, signature }: Checkpoint,
): Promise<void> {
  await tx.query(
    `insert into audit_checkpoint as c (tenant, seq, hash, signature, created_at) values ($1, $2, $3, $4, now())
     on conflict (tenant) do update set seq = excluded.seq, hash = excluded.hash, signature = excluded.signature, created_at = excluded.created_at
     where c.seq < excluded.seq`,
    [tenant, seq, hash, signature],
  );
}

const signedByOthers: Statement<
  Link & { signature: string } & { tenant: string },
  [prefix: string]
> = {
  name: 'access.checkpoints_signed_by_others',
  text: 'select tenant, seq::float8 as seq, hash, signature from audit_checkpoint where not starts_with(signature, $1)',
  across: 're-signs the checkpoints of all tenants with a new first key of the key ring',
};

/** The checkpoints whose signatures do not begin with this prefix. */
export const listSignedByOtherKeys = (
  database: Database,
  prefix: string,
): Promise<Array<Checkpoint & { tenant: string }>> => database.query(signedByOthers, [prefix]);

/** Replaces a checkpoint's signature, unless it has changed since it was read. */
export async function replaceSignature(
  tx: Transaction,
  { tenant, signature }: { tenant: string; signature: string },
  next: string,
): Promise<void> {
  await tx.query(
    'update audit_checkpoint set signature = $3 where tenant = $1 and signature = $2',
    [tenant, signature, next],
  );
}

/** Drops a tenant's entries up to its checkpoint. */
export async function dropEntries(tx: Transaction, tenant: string): Promise<number> {
  const [row] = await tx.query<{ dropped: number }>('select drop_audit($1) as dropped', [tenant]);
  return row?.dropped ?? 0;
}
