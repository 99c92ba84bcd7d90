import type { Origin, RightsKey } from '@bailiwick/contract';
import { type EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction as Connection } from 'kysely';
import { type AnyStatement, prepare, type Run, type Statement } from './statements.ts';

/** A running transaction, with the call that it belongs to. */
export type Transaction = {
  /** The call or the service that the transaction belongs to. */
  readonly call: Origin;
  readonly em: EntityManager;
  /** Runs a statement of a queries.ts, or a text that has no name. */
  query: Run & (<Row>(text: string, values: readonly unknown[]) => Promise<Row[]>);
  /** Runs `work` for a call in a savepoint: if it throws, only its own changes are undone. */
  savepoint<T>(call: Origin, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Whether it records something: its commit is announced to the listeners of `onCommit`. */
  isRecorded: boolean;
  /** Whether it records a change of its call, which marks the call's Idempotency-Key. */
  isChanged: boolean;
  /** The keys of cached rights that it changes, which it writes to the log of revocations. */
  readonly revokes: Set<RightsKey>;
  /** The rows that it writes at its end, by the function that writes all of them together. */
  readonly lastRows: Map<WriteRows<unknown>, unknown[]>;
};

/** Writes rows of one kind with one statement. */
export type WriteRows<Row> = (tx: Transaction, rows: readonly Row[]) => Promise<unknown>;

/** Has a row written at the end of the transaction, which reads it no more. */
export function writeLast<Row>({ lastRows }: Transaction, write: WriteRows<Row>, row: Row): void {
  const kind = write as WriteRows<unknown>;
  const rows = lastRows.get(kind);
  if (rows) rows.push(row);
  else lastRows.set(kind, [row]);
}

/** Writes the rows of `writeLast`. */
export async function writeLastRows(tx: Transaction): Promise<void> {
  for (const [write, rows] of tx.lastRows) {
    // Rows that come while these are written are visited too.
    tx.lastRows.delete(write);
    await write(tx, rows);
  }
}

/**
 * The text that writes keys to the log of revocations (revocations.ts): a statement, or a part of one.
 * Without keys it writes nothing. A restored log may have the ids of coming transactions.
 */
export const revocationText = (keys: string): string => `insert into revocation as r (keys)
  select ${keys}::text[] where cardinality(${keys}::text[]) > 0
  on conflict (txid) do update set keys = r.keys || excluded.keys, created_at = excluded.created_at`;

const insertRevocation: Statement<never, [keys: string[]]> = {
  name: 'shared.revocation_insert',
  text: revocationText('$1'),
};

/** Takes the keys that a transaction revokes, for a statement that writes them to the log. */
export function takeRevoked({ revokes }: Transaction): string[] {
  const keys = [...revokes];
  revokes.clear();
  return keys;
}

/** Writes the keys that the transaction revokes, as one of its last steps. */
export async function logRevocation(tx: Transaction): Promise<void> {
  if (tx.revokes.size > 0) await tx.query(insertRevocation, [takeRevoked(tx)]);
}

/** The transaction of an entity manager that has begun one. */
export function openTransaction(call: Origin, em: EntityManager): Transaction {
  const tx: Transaction = {
    call,
    em,
    // Binds the values to `$1`, `$2` …; MikroORM's own `execute` would write them into the text.
    async query<Row>(statement: AnyStatement | string, values: readonly unknown[]): Promise<Row[]> {
      const connection = em.getTransactionContext<Connection<unknown>>();
      if (!connection) throw new Error('the transaction has ended');
      if (typeof statement !== 'string') prepare(statement);
      const text = typeof statement === 'string' ? statement : statement.text;
      const result = await connection.executeQuery(CompiledQuery.raw(text, [...values]));
      return result.rows as Row[];
    },
    async savepoint<T>(inner: Origin, work: (nested: Transaction) => Promise<T>): Promise<T> {
      let nested: Transaction | undefined;
      const result = await em.transactional((forked) => {
        nested = openTransaction(inner, forked);
        return work(nested);
      });
      tx.isRecorded ||= nested?.isRecorded === true;
      tx.isChanged ||= nested?.isChanged === true;
      for (const key of nested?.revokes ?? []) tx.revokes.add(key);
      for (const [write, rows] of nested?.lastRows ?? [])
        for (const row of rows) writeLast(tx, write, row);
      return result;
    },
    isRecorded: false,
    isChanged: false,
    revokes: new Set(),
    lastRows: new Map(),
  };
  return tx;
}
