import { createHash } from 'node:crypto';
import type { CommitGuard, Origin } from '@bailiwick/contract';
import { inSpan, type Log } from '@bailiwick/process';
import {
  type EntitySchema,
  type EventSubscriber,
  type FlushEventArgs,
  IsolationLevel,
} from '@mikro-orm/core';
import { type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql';
import { SpanKind } from '@opentelemetry/api';
import type { Pool, QueryConfig } from 'pg';
import {
  boundGuarded,
  createBusyCheck,
  endSilentConnections,
  guardedBegin,
  lockLimitMs,
  measurePool,
  prepareNamed,
  releaseCutConnections,
  statementLimitMs,
  waitAtServerLimit,
} from './pool.ts';
import { createPositionReader, openReplica, type Position, type Reader } from './replica.ts';
import { measureSize } from './size.ts';
import { assertReads, queryOf, type Statement } from './statements.ts';
import { logRevocation, openTransaction, type Transaction, writeLastRows } from './transaction.ts';
import { createTransactionTurns, type Scope } from './turns.ts';

export type DatabaseOptions = {
  /** The owning service: also the name of its schema. */
  service: string;
  url: string;
  /** The URL of a replica. Without it the primary runs every statement. */
  readUrl?: string | undefined;
  /** The version of the code, which its connections name for `finishUpgrade`. */
  version?: number;
  entities: readonly EntitySchema[];
  poolSize: number;
  log: Log;
};

/** A service's part of the database. */
export type Database = ReturnType<typeof openDatabase>;

/**
 * The role that a service works as: it has rights in the service's schema only. Roles belong to the
 * server, so the name has the database's: of two installations on one server, neither may use the
 * role of the other.
 */
export function databaseRole(service: string, url: string): string {
  const { pathname, username } = new URL(url);
  // Like PostgreSQL, whose default is the name of the login.
  const database = decodeURIComponent(pathname.slice(1) || username);
  if (/^[a-z0-9_]{1,36}$/.test(database)) return `bailiwick_${service}_${database}`;
  // PostgreSQL cuts names to 63 bytes.
  const hash = createHash('sha256').update(database).digest('hex').slice(0, 12);
  return `bailiwick_${service}_${database
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 20)}-${hash}`;
}

/**
 * Settings of each session, which a login or a database may have changed: the form of times, of
 * text and of binary values, and what a transaction sees.
 */
export const sessionOptions = [
  'DateStyle=ISO,MDY',
  'IntervalStyle=postgres',
  'TimeZone=UTC',
  'client_encoding=UTF8',
  'bytea_output=hex',
  'extra_float_digits=1',
  'standard_conforming_strings=on',
  'array_nulls=on',
  'default_transaction_isolation=read\\ committed',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

// MikroORM reads only host, port, user, password and database of a URL: a connection that requires
// TLS would be plain. The driver itself reads the whole URL, with the authority's file, for each
// connection. The URL's `options` are removed, since they would take precedence over the role.
export function connectionOf(url: string): { connectionString: string } {
  const whole = new URL(url);
  whole.searchParams.delete('options');
  return { connectionString: whole.href };
}

/** MikroORM's options for one service's schema, shared with the migrations and the schema test. */
export function ormOptions(
  options: Pick<DatabaseOptions, 'service' | 'url' | 'entities'>,
): Options {
  return {
    clientUrl: options.url,
    schema: options.service,
    // In one process, a call to another service inside a transaction would otherwise join it.
    contextName: options.service,
    entities: [...options.entities],
    // A missing tenant scope throws; it never queries all tenants.
    filters: {
      tenant: {
        entity: options.entities.filter(isTenantScoped),
        cond: tenantCondition,
        default: true,
      },
    },
    subscribers: [foreignTenantGuard],
    forceUtcTimezone: true,
    ignoreUndefinedInQuery: false,
    validateRequired: true,
  };
}

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

/** The name of a service's connections; the version is missing in versions before it had one. */
const connectionName = ({ service, version }: DatabaseOptions): string =>
  version === undefined ? `bailiwick-${service}` : `bailiwick-${service}@${version}`;

const connectLimitMs = 8000;

/** The settings of each session: it works as the service's role, in its schema. */
const sessionOf = ({ service, url }: Pick<DatabaseOptions, 'service' | 'url'>): string =>
  `${sessionOptions} -c role=${databaseRole(service, url)} -c search_path=${service}`;

/** The service's replica, whose sessions have the same role. */
const connectReplica = (options: DatabaseOptions, readUrl: string) =>
  openReplica({
    service: options.service,
    log: options.log,
    connection: {
      ...connectionOf(readUrl),
      application_name: connectionName(options),
      options: `${sessionOf(options)} -c default_transaction_read_only=on`,
      max: options.poolSize,
    },
  });

/** MikroORM and its pool. */
function connect(options: DatabaseOptions) {
  const pools: Pool[] = [];
  const orm = new MikroORM({
    ...ormOptions(options),
    pool: { min: 0, max: options.poolSize },
    driverOptions: {
      ...connectionOf(options.url),
      application_name: connectionName(options),
      options: `${sessionOf(options)} -c statement_timeout=${statementLimitMs} -c lock_timeout=${lockLimitMs} -c idle_in_transaction_session_timeout=15000`,
      // A server that is down refuses at once; an overloaded one is slow.
      connectionTimeoutMillis: connectLimitMs,
      onPoolCreated(pool: Pool) {
        endSilentConnections(pool);
        releaseCutConnections(pool);
        waitAtServerLimit(pool, connectLimitMs);
        boundGuarded(pool);
        prepareNamed(pool);
        pools.push(pool);
      },
      keepAlive: true,
    },
    logger: (line) => options.log.warn(line),
  });
  // Creates the pool without connecting: getNativeClient would wait for the server.
  orm.em.getConnection().getClient();
  const [pool] = pools;
  if (!pool) throw new Error('the database pool was not created');
  return { orm, pool };
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

/** Whether the rows of an entity belong to tenants. */
export function isTenantScoped(entity: EntitySchema): boolean {
  return 'tenant' in entity.meta.properties;
}

function tenantCondition(args: Record<string, unknown>) {
  if (typeof args['tenant'] !== 'string')
    throw new Error('a tenant-scoped table was queried without a tenant');
  return { tenant: args['tenant'] };
}

// The filter covers queries; this guard covers writes: an entity of another tenant never reaches
// the database.
const foreignTenantGuard: EventSubscriber = {
  onFlush({ em, uow }: FlushEventArgs) {
    const scope = em.getFilterParams<{ tenant?: string }>('tenant')?.tenant;
    for (const change of uow.getChangeSets()) {
      const tenant: unknown = 'tenant' in change.entity ? change.entity.tenant : undefined;
      const stored: unknown =
        change.originalEntity && 'tenant' in change.originalEntity
          ? change.originalEntity.tenant
          : tenant;
      if (tenant !== undefined && (tenant !== scope || stored !== scope))
        throw new Error(`a row of another tenant was written (${change.meta.tableName})`);
    }
  },
};
