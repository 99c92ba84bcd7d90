import type { Database, Statement, Transaction } from '@bailiwick/store';

export type StoredKey = { tenant: string; id: string; kek: string; wrapped: Uint8Array };

/** The position of a data key in the order over all tenants. */
export type KeyPlace = { tenant: string; id: string };

/** The position before the first data key. */
export const firstPlace: KeyPlace = { tenant: '', id: '' };

const current: Statement<StoredKey, [tenant: string]> = {
  name: 'keys.current_dek',
  text: 'select tenant, id, kek, wrapped from dek where tenant = $1 and superseded_at is null order by id desc limit 1',
};
const byId: Statement<StoredKey, [tenant: string, id: string]> = {
  name: 'keys.dek',
  text: 'select tenant, id, kek, wrapped from dek where tenant = $1 and id = $2',
};

/** The data key that seals for a tenant; undefined before its first use. */
export async function findCurrentKey(
  database: Database,
  tenant: string,
): Promise<StoredKey | undefined> {
  const rows = await database.query(current, [tenant]);
  return rows[0];
}

export async function findKey(
  database: Database,
  tenant: string,
  id: string,
): Promise<StoredKey | undefined> {
  const rows = await database.query(byId, [tenant, id]);
  return rows[0];
}

const wrappedByOthers: Statement<
  StoredKey,
  [kek: string, tenant: string, id: string, limit: number]
> = {
  name: 'keys.take_wrapped_by_others',
  text: 'select tenant, id, kek, wrapped from dek where kek <> $1 and (tenant, id) > ($2, $3) order by tenant, id limit $4 for update skip locked',
  across: 'rewraps the data keys of all tenants in order',
};

/** Locks data keys after `after` that a key other than `kek` wraps, skipping locked rows. */
export function takeWrappedByOthers(
  tx: Transaction,
  kek: string,
  after: KeyPlace,
  limit: number,
): Promise<StoredKey[]> {
  return tx.query(wrappedByOthers, [kek, after.tenant, after.id, limit]);
}

export async function setWrapping(
  tx: Transaction,
  { tenant, id, kek, wrapped }: StoredKey,
): Promise<void> {
  await tx.query('update dek set kek = $3, wrapped = $4 where tenant = $1 and id = $2', [
    tenant,
    id,
    kek,
    wrapped,
  ]);
}

const rotation: Statement<unknown, []> = {
  name: 'keys.request_rotation',
  text: 'update dek set rotation_due = true where superseded_at is null returning 1',
  across: 'the platform rotates the data keys of all tenants',
};

/** Requests the replacement of every current data key. Returns their number. */
export async function requestRotation(tx: Transaction): Promise<number> {
  const rows = await tx.query(rotation, []);
  return rows.length;
}

const due: Statement<KeyPlace, [tenant: string, id: string, limit: number]> = {
  name: 'keys.rotation_due',
  text: 'select tenant, id from dek where rotation_due and (tenant, id) > ($1, $2) order by tenant, id limit $3',
  across: 'rotates the data keys of all tenants in order',
};

/** The data keys whose replacement is due. */
export const listDue = (database: Database, after: KeyPlace, limit: number): Promise<KeyPlace[]> =>
  database.query(due, [after.tenant, after.id, limit]);

const superseded: Statement<
  KeyPlace,
  [tenant: string, id: string, unusedBefore: Date, limit: number]
> = {
  name: 'keys.superseded',
  text: `select tenant, id from dek
         where superseded_at is not null and (unused_since is null or unused_since <= $3) and (tenant, id) > ($1, $2)
         order by tenant, id limit $4`,
  across: 'reseals the records of superseded data keys of all tenants in order',
};

/**
 * The superseded data keys that may still be in use, or have been unused since before
 * `unusedBefore`.
 */
export const listSuperseded = (
  database: Database,
  after: KeyPlace,
  unusedBefore: Date,
  limit: number,
): Promise<KeyPlace[]> => database.query(superseded, [after.tenant, after.id, unusedBefore, limit]);

const byKek: Statement<{ kek: string; count: number }, []> = {
  name: 'keys.count_by_kek',
  text: 'select kek, count(*)::int as count from dek group by kek order by kek',
  across: 'counts the data keys of all tenants by their key-encryption key',
};

/** The number of data keys that each key-encryption key wraps. */
export const countByKek = (database: Database): Promise<Array<{ kek: string; count: number }>> =>
  database.query(byKek, []);

export type Remaining = { toReplace: number; toReseal: number };

const remaining: Statement<Remaining, []> = {
  name: 'keys.remaining',
  text: `select (select count(*)::int from dek where rotation_due) as "toReplace",
                (select count(*)::int from dek where superseded_at is not null and unused_since is null) as "toReseal"`,
  between: 'counts the data keys of all tenants',
};

/**
 * The number of data keys to replace, and of superseded keys whose values are still being resealed.
 */
export async function countRemaining(database: Database): Promise<Remaining> {
  const [row] = await database.query(remaining, []);
  return row ?? { toReplace: 0, toReseal: 0 };
}
