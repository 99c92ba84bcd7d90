import type { Origin } from '@bailiwick/contract';
import { causesOf } from '@bailiwick/errors';
import type { QueryConfig } from 'pg';

// Statements in SQL, on the pool or inside a transaction, and the errors that they can have.

/**
 * A prepared statement: one name for one text, planned once per connection. `Row` is what it
 * returns (never = nothing), `Values` what is bound to `$1`, `$2` …
 */
export type Statement<Row, Values extends readonly unknown[]> = {
  name: string;
  text: string;
  /** Why it may reach rows of any tenant: rows that meet in it are of the same tenant. */
  across?: string;
  /** Why rows of different tenants may meet in it. */
  between?: string;
  /** Keeps the types for the compiler. It is never set. */
  types?: { row: Row; values: Values };
};

/** A statement whose rows and values do not matter. */
export type AnyStatement = Statement<unknown, readonly unknown[]>;

const isWrite = /\b(insert\s+into|update|delete\s+from)\b/i;
const written = new Map<string, boolean>();

/**
 * Whether a statement may change rows. The counts of limits and the claims of idempotent calls are
 * no changes by a caller.
 */
export function writes({ name, text }: AnyStatement): boolean {
  const isWriting = written.get(name) ?? (!name.startsWith('shared.') && isWrite.test(text));
  written.set(name, isWriting);
  return isWriting;
}

/** @throws if a statement may change rows */
export function assertReads(statement: AnyStatement): void {
  if (writes(statement)) throw new Error(`${statement.name} writes: pass its call to write()`);
}

/** A statement with its values, as the driver takes it. */
export const queryOf = ({ name, text }: AnyStatement, values: readonly unknown[]): QueryConfig => ({
  name,
  text,
  values: [...values],
});

const namesByText = new Map<string, string>();

/** Has a connection prepare the text of a statement that MikroORM runs: it passes no name. */
export const prepare = ({ name, text }: AnyStatement): void => void namesByText.set(text, name);

/** The name of a text that is to be prepared. */
export const preparedName = (text: string): string | undefined => namesByText.get(text);

/** Runs a statement of a queries.ts: on the pool, or inside a transaction to see its writes. */
export type Run = <Row, Values extends readonly unknown[]>(
  statement: Statement<Row, Values>,
  values: NoInfer<Values>,
) => Promise<Row[]>;

type Write = <Row, Values extends readonly unknown[]>(
  call: Origin,
  statement: Statement<Row, Values>,
  values: NoInfer<Values>,
) => Promise<Row[]>;

/**
 * Runs statements on any connection, outside of transactions. Those that write need the `call` that
 * they are run for.
 */
export const onPool =
  (database: { query: Run; write: Write }, call?: Origin): Run =>
  (statement, values) =>
    call && writes(statement)
      ? database.write(call, statement, values)
      : database.query(statement, values);

/** In a statement, how long it is until a time, in ms. */
export const msUntil = (time: string): string =>
  `(extract(epoch from ${time} - now()) * 1000)::float8`;

/** Whether an error is a unique violation of that constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  causesOf(error).some((cause) => cause.code === '23505' && cause.constraint === constraint);

/**
 * Whether a lock timed out or deadlocked: PostgreSQL's lock_not_available and deadlock_detected.
 */
export const lacksLock = (error: unknown): boolean =>
  causesOf(error).some(({ code }) => code === '55P03' || code === '40P01');
