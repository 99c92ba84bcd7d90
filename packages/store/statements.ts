import { causesOf } from '@bailiwick/errors';
import { type EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';

// Statements in SQL, on the pool or inside a transaction, and the errors that they can have.

/** A prepared statement: one name for one text, planned once per connection. */
export type Statement = { name: string; text: string };

const isWrite = /\b(insert\s+into|update|delete\s+from)\b/i;
const written = new Map<string, boolean>();

/**
 * Whether a statement may change rows. The counts of limits and the claims of idempotent calls are
 * no changes by a caller.
 */
export function writes({ name, text }: Statement): boolean {
  const known = written.get(name) ?? (!name.startsWith('shared.') && isWrite.test(text));
  written.set(name, known);
  return known;
}

/**
 * Runs a statement of a queries.ts inside the transaction of `em`. Values are bound to `$1`, `$2`
 * …; MikroORM's own `execute` would write them into the text.
 */
export async function execute<Row>(
  em: EntityManager,
  sql: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const transaction = em.getTransactionContext<Transaction<unknown>>();
  if (!transaction) throw new Error('a statement needs a transaction');
  const result = await transaction.executeQuery(CompiledQuery.raw(sql, [...values]));
  return result.rows as Row[];
}

/** Runs a statement of a queries.ts: on the pool, or inside a transaction to see its writes. */
export type Run = <Row extends Record<string, unknown>>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

/** Runs statements on any connection, outside of transactions. */
export const onPool =
  (database: { query: Run }): Run =>
  (statement, values) =>
    database.query(statement, values);

/** Runs statements inside the transaction of `em`. */
export const inTransaction =
  (em: EntityManager): Run =>
  (statement, values) =>
    execute(em, statement.text, values);

/**
 * Locks a name until the end of the transaction, which serialises transactions on the same thing.
 */
export async function lockName(em: EntityManager, name: string): Promise<void> {
  await execute(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

/** Locks names like `lockName`, in one order, so that two calls never deadlock. */
export async function lockNames(em: EntityManager, names: readonly string[]): Promise<void> {
  await execute(
    em,
    'select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as name',
    [[...new Set(names)].sort()],
  );
}

/** Whether an error is a unique violation of that constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  causesOf(error).some((cause) => cause.code === '23505' && cause.constraint === constraint);

/**
 * Whether a lock timed out or deadlocked: PostgreSQL's lock_not_available and deadlock_detected.
 */
export const lacksLock = (error: unknown): boolean =>
  causesOf(error).some(({ code }) => code === '55P03' || code === '40P01');
