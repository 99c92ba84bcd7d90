import { defineEntity, p } from '@mikro-orm/core';
import type { ServiceSchema } from './baseline.ts';
import type { Database } from './orm.ts';
import type { Statement } from './statements.ts';

// The log of revoked keys, which makes a revocation true: a change writes its keys in its own
// transaction. Each holder of cached rights has a row here, and its lease is renewed only with all
// keys that its last renewal has not seen. packages/broker/revocation makes revocations fast.

/** The keys that a transaction has revoked. */
export const RevocationEntity = defineEntity({
  name: 'Revocation',
  tableName: 'revocation',
  properties: {
    txid: p.string().primary().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    keys: p.array().columnType('text[]'),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

/** A holder of cached rights, as a process that caches. */
export const RevocationHolderEntity = defineEntity({
  name: 'RevocationHolder',
  tableName: 'revocation_holder',
  properties: {
    id: p.string().primary().columnType('text'),
    after: p.string().columnType('pg_snapshot'),
    renewedAt: p.datetime(3),
    deafUntil: p.datetime(3).nullable(),
  },
});

/** The tables, for a migration of each service that revokes. */
export const revocationTables = `
  create table if not exists revocation (
    txid xid8 primary key default pg_current_xact_id(),
    keys text[] not null,
    created_at timestamptz(3) not null default clock_timestamp()
  );
  create table if not exists revocation_holder (
    id text primary key,
    after pg_snapshot not null,
    renewed_at timestamptz(3) not null,
    deaf_until timestamptz(3)
  );`;

/** As in packages/broker/revocation. A lease counts from before its renewal. */
const lease = `interval '2 seconds'`;
/** `renewed_at` is rounded, and clocks run unequally. */
const longestLease = `interval '2100 milliseconds'`;
const deafFor = `interval '30 seconds'`;
/** Revokes everything. */
export const everyKey = '*';
/** A holder with more keys to drop drops everything. */
const maxKeys = 10_000;

type Renewal = {
  snapshot: string;
  reset: boolean;
  deaf: boolean;
  complete: boolean;
  keys: string[];
};

// A key belongs to the answer if its transaction is visible to this statement and was not to the
// last snapshot: the order in which transactions began does not matter. A snapshot that this row
// has never given is from another history of the database, as after a restore.
const renew: Statement<
  Renewal,
  [holder: string, after: string | null, limit: number, completeFrom: number]
> = {
  name: 'shared.revocation_follow',
  text: `with present as materialized (
           select pg_current_snapshot() as snapshot, clock_timestamp() as at
         ), former as (
           select after, renewed_at from revocation_holder where id = $1
         ), renewed as (
           insert into revocation_holder (id, after, renewed_at) select $1, snapshot, at from present
           on conflict (id) do update set after = excluded.after,
             renewed_at = greatest(revocation_holder.renewed_at, excluded.renewed_at)
           returning deaf_until, xmax = 0 as is_new
         )
         select present.snapshot::text as snapshot,
           coalesce(former.renewed_at < present.at - ${lease}
             or pg_snapshot_xmax($2::text::pg_snapshot) > pg_snapshot_xmax(former.after), true)
             or renewed.is_new as reset,
           coalesce(renewed.deaf_until > present.at, false) as deaf,
           (select compatible_from >= $4 from schema_window) as complete,
           array (
             select distinct key from revocation r, unnest(r.keys) as key
             where r.txid >= pg_snapshot_xmin($2::text::pg_snapshot)
               and not pg_visible_in_snapshot(r.txid, $2::text::pg_snapshot)
             limit $3) as keys
         from present cross join renewed left join former on true`,
};

/**
 * Renews the lease of a holder. `after`: the snapshot of the last answer that the holder has applied,
 * "" = none. A lost answer is repeated by the next one. The log is complete once no version before
 * `settledFrom` may run on the schema.
 */
export async function renewHolder(
  database: Database,
  { settledFrom = 0 }: ServiceSchema,
  { holder, after }: { holder: string; after: string },
): Promise<Renewal> {
  const [row] = await database.query(renew, [
    holder,
    after === '' ? null : after,
    maxKeys + 1,
    settledFrom,
  ]);
  if (!row) throw new Error('the renewal of a holder returned nothing');
  const reset = row.reset || row.keys.length > maxKeys || row.keys.includes(everyKey);
  return { ...row, reset, keys: reset ? [] : row.keys };
}

// A holder that has become deaf a moment ago may not know it yet.
const findFresh: Statement<{ id: string }, []> = {
  name: 'shared.revocation_holders',
  text: `select id from revocation_holder
         where renewed_at > clock_timestamp() - ${longestLease}
           and (deaf_until is null or deaf_until not between clock_timestamp()
             and clock_timestamp() + ${deafFor} - ${longestLease})`,
};

const markDeaf: Statement<never, [ids: readonly string[]]> = {
  name: 'shared.revocation_mark_deaf',
  text: `update revocation_holder set deaf_until = clock_timestamp() + ${deafFor}
         where id = any ($1::text[]) and (deaf_until is null or deaf_until < clock_timestamp())`,
};

/** The holders of a service's log, for its revoker. */
export const holdersIn = (database: Database) => ({
  /** Those who may have a lease, and know that they must acknowledge. Call it after the commit. */
  fresh: async (): Promise<string[]> => (await database.query(findFresh, [])).map(({ id }) => id),
  /** Notes that these did not acknowledge: they cache nothing for half a minute. */
  async markDeaf(ids: readonly string[]): Promise<void> {
    await database.query(markDeaf, [ids]);
  },
});

// A row counts from its transaction's last step, and a lease takes seconds.
const sweep: Statement<never, []> = {
  name: 'shared.revocation_sweep',
  text: `with holders as (
           delete from revocation_holder where renewed_at < now() - interval '1 minute'
         )
         delete from revocation where created_at < now() - interval '10 minutes'`,
};

/** Deletes keys that every holder has seen, and holders that are gone. */
export async function sweepRevocations(database: Database): Promise<void> {
  await database.query(sweep, []);
}
