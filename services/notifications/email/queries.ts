import type { Buffer } from 'node:buffer';
import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';

export type SuppressionRow = { code: number; created_at: string; expires_at: string };

const living: Statement<SuppressionRow & { hash: Buffer }, [hash: readonly Uint8Array[]]> = {
  name: 'notifications.mail_suppressions',
  text: 'select hash, code, created_at, expires_at from mail_suppression where hash = any($1) and expires_at > now() order by expires_at desc',
};

/** The active suppressions of addresses, each of which has one of its hashes. */
export async function findSuppressions(
  database: Database,
  addresses: ReadonlyArray<readonly Uint8Array[]>,
): Promise<Array<SuppressionRow | undefined>> {
  const rows = await database.query(living, [addresses.flat()]);
  return addresses.map((hashes) =>
    rows.find((row) => hashes.some((hash) => row.hash.equals(hash))),
  );
}

export async function insertSuppression(
  tx: Transaction,
  hash: Uint8Array,
  code: number,
  days: number,
): Promise<void> {
  await tx.query(
    `insert into mail_suppression (hash, code, created_at, expires_at) values ($1, $2, now(), now() + make_interval(days => $3))
     on conflict (hash) do update set code = excluded.code, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    [hash, code, days],
  );
}

/** Returns the number of deleted rows. */
export async function deleteSuppression(
  tx: Transaction,
  hashes: readonly Uint8Array[],
): Promise<number> {
  const rows = await tx.query(
    'delete from mail_suppression where hash = any($1) and expires_at > now() returning 1',
    [hashes],
  );
  return rows.length;
}

const expired: Statement<never, []> = {
  name: 'notifications.expired_suppressions',
  text: 'delete from mail_suppression where expires_at <= now()',
};

export async function deleteExpiredSuppressions(database: Database, call: Origin): Promise<void> {
  await database.write(call, expired, []);
}
