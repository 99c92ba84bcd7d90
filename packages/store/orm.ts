import type { CommitGuard, Origin } from '@bailiwick/contract';
import { inSpan } from '@bailiwick/process';
import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SpanKind } from '@opentelemetry/api';
import type { Pool, QueryConfig } from 'pg';
import { connect, connectReplica, type DatabaseOptions } from './connect.ts';
import { createBusyCheck, guardedBegin, measurePool } from './pool.ts';
import { createPositionReader, type Position, type Reader } from './replica.ts';
import { measureSize } from './size.ts';
import { assertReads, queryOf, type Statement } from './statements.ts';
import { logRevocation, openTransaction, type Transaction, writeLastRows } from './transaction.ts';
import { createTransactionTurns, type Scope } from './turns.ts';

/** A service's part of the database. */
export type Database = ReturnType<typeof openDatabase>;

/** A transaction that has committed, with the result of its work. */
type TransactionResult<T> = { result: T; tx: Transaction };

/** Runs `work` in one transaction. The guard of the call decides whether it commits. */
async function transact<T>(
  em: EntityManager,
  work: (tx: Transaction) => Promise<T>,
  { call, tenant }: Pick<Scope, 'call' | 'tenant'>,
): Promise<TransactionResult<T>> {
  const { guard, mark } = call;
  let leave: (() => void) | undefined;
  try {
    return await em.transactional(
      async (forked) => {
        const tx = openTransaction(call, forked);
        const result = await work(tx);
        if (tx.isChanged && mark) await mark(tx.query);
        await writeLastRows(tx);
        await logRevocation(tx);
        if (guard) {
          // Nothing may wait for a row after the guard has decided.
          await forked.flush();
          leave = await guard.enter(tenant);
        }
        return { result, tx };
      },
      guard ? { isolationLevel: IsolationLevel.READ_COMMITTED } : {},
    );
  } finally {
    leave?.();
  }
}

/**
 * Opens a service's part of the database: its schema, with its own least-privileged role.
 * Connections are made on demand, so a service starts while its database is away and recovers with
 * it.
 */
export function openDatabase(options: DatabaseOptions) {
  const { orm, pool } = connect(options);
  measurePool(options.service, pool);
  measureSize(options.service, pool);
  const transactionSpan = {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.namespace': options.service },
  };

  const turns = createTransactionTurns(options.poolSize);
  const orBusy = createBusyCheck(pool, options.poolSize);
  const listeners: Array<() => void> = [];
  const committed = ({ isRecorded }: Transaction) => {
    if (isRecorded) for (const listener of listeners) listener();
  };
  const onAny = <Row>(query: QueryConfig): Promise<Row[]> =>
    orBusy(async () => (await pool.query(query)).rows as Row[]);
  const { closeReplica, ...reads } = createReads(options, onAny);

  return {
    service: options.service,
    orm,

    /**
     * Runs `work` in one transaction of a call, scoped to a tenant ("" = the platform's own rows,
     * null = no tenant-scoped table may be used). Transactions of one `row` run one after the other,
     * and those of one tenant share a part of the connections. @throws resource_exhausted in a
     * client's call if too many are waiting; all other work waits
     */
    transaction<T>(scope: Scope, work: (tx: Transaction) => Promise<T>): Promise<T> {
      const { tenant } = scope;
      return turns.transaction(scope, async (call) => {
        const em = orm.em.fork();
        if (tenant !== null) em.setFilterParams('tenant', { tenant });
        const { result, tx } = await inSpan('transaction', transactionSpan, () =>
          orBusy(() => transact(em, work, { call, tenant })),
        );
        committed(tx);
        return result;
      });
    },

    /** Calls `listener` after each commit of a transaction that records something. */
    onCommit: (listener: () => void): void => void listeners.push(listener),

    /**
     * Runs work that reads a row and later changes it in a transaction, one call at a time for each
     * row. It holds no connection while it waits. The transaction inside must use another row name,
     * and the call that the work gets.
     */
    inTurn: turns.row,

    /**
     * Runs work for a tenant that shares its statements with other work. It counts among the calls
     * of its caller and of the tenant. @throws resource_exhausted like `transaction`
     */
    inCall: turns.call,

    ...reads,

    /** Like `query`, for a statement that writes. The guard of its call decides about it. */
    async write<Row, Values extends readonly unknown[]>(
      { guard }: Pick<Origin, 'guard'>,
      statement: Statement<Row, Values>,
      values: NoInfer<Values>,
    ): Promise<Row[]> {
      const query = queryOf(statement, values);
      return guard ? orBusy(() => guarded<Row>(pool, guard, query)) : onAny<Row>(query);
    },

    /** Throws while the database is away or the role is missing. */
    async ping(): Promise<void> {
      await pool.query('select 1');
    },

    async close(): Promise<void> {
      await Promise.all([orm.close(true), closeReplica()]);
    },
  };
}

/** Reads outside of transactions: from the primary, or from the replica. */
function createReads(options: DatabaseOptions, onAny: <Row>(query: QueryConfig) => Promise<Row[]>) {
  const primary: Reader = {
    async query(statement, values) {
      assertReads(statement);
      return onAny(queryOf(statement, values));
    },
  };
  const replica = options.readUrl ? connectReplica(options, options.readUrl) : undefined;
  return {
    /** Runs a prepared statement of a queries.ts that only reads, outside of transactions. */
    query: primary.query,

    /** Reads at a position or later: from the replica if it has come so far. */
    readerAt: (position: Position | undefined): Reader =>
      replica ? replica.readerAt(position, primary) : primary,

    /** Reads a position that has every change committed before. Undefined without a replica. */
    readPosition: replica && createPositionReader(primary.query),

    closeReplica: async () => replica?.close(),
  };
}

/** Runs a statement in a transaction of its own, which the guard of its call decides about. */
async function guarded<Row>(pool: Pool, guard: CommitGuard, query: QueryConfig): Promise<Row[]> {
  const client = await pool.connect();
  let failure: Error | undefined;
  let leave: (() => void) | undefined;
  try {
    await client.query(guardedBegin);
    const { rows } = await client.query(query);
    leave = await guard.enter(null);
    await client.query('commit');
    return rows as Row[];
  } catch (error) {
    await client.query('rollback').catch((broken: Error) => (failure = broken));
    throw error;
  } finally {
    leave?.();
    client.release(failure);
  }
}
