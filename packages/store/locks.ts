import type { Transaction } from './transaction.ts';

/**
 * Locks a name until the end of the transaction, which serialises transactions on the same thing.
 */
export async function lockName(tx: Transaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

/** Locks names like `lockName`, in one order, so that two calls never deadlock. */
export async function lockNames(tx: Transaction, names: readonly string[]): Promise<void> {
  await tx.query(
    'select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as name',
    [[...new Set(names)].sort()],
  );
}
