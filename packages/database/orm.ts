import type { Socket } from 'node:net';
import { causesOf } from '@bailiwick/errors';
import { gauge, inSpan, type Log } from '@bailiwick/telemetry';
import { type EntitySchema, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import { type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql';
import { SpanKind } from '@opentelemetry/api';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { createTransactionTurns, type Scope } from './turns.ts';

export type { EntityManager };

/** Work that runs at the end of a transaction, before its commit. */
type BeforeCommit = (em: EntityManager) => Promise<void>;

const beforeCommits = new WeakMap<EntityManager, Set<BeforeCommit>>();

/**
 * Adds work to the end of the transaction of `em`, once. If it throws, the transaction rolls back.
 */
export function beforeCommit(em: EntityManager, work: BeforeCommit): void {
  const works = beforeCommits.get(em);
  if (!works) throw new Error('this is not the entity manager of a transaction');
  works.add(work);
}

/** A prepared statement: one name for one text, planned once per connection. */
export type Statement = { name: string; text: string };

const announced = new WeakSet<EntityManager>();

/** Announces the commit of the transaction of `em` to the listeners of `onCommit`. */
export const announceCommit = (em: EntityManager): void => void announced.add(em);

export type DatabaseOptions = {
  /** The owning service: also the name of its schema. */
  service: string;
  url: string;
  entities: readonly EntitySchema[];
  poolSize: number;
  log: Log;
};

const connections = gauge<{ service: string; state: 'used' | 'idle' }>({
  name: 'bailiwick_database_connections',
  about: 'Connections of a service to its database, in use and idle.',
});

const waiting = gauge<{ service: string }>({
  name: 'bailiwick_database_waiting',
  about: 'Calls that wait for a connection to the database.',
});

function measurePool(service: string, pool: Pool): void {
  connections.from(() => [
    { value: pool.totalCount - pool.idleCount, labels: { service, state: 'used' } },
    { value: pool.idleCount, labels: { service, state: 'idle' } },
  ]);
  waiting.from(() => [{ value: pool.waitingCount, labels: { service } }]);
}

/** A service's part of the database. */
export type Database = ReturnType<typeof openDatabase>;

/** Statement timeout of the server. */
const statementLimitMs = 10_000;
/** A connection in use that is silent for longer has lost its server. */
const silenceLimitMs = statementLimitMs + 2000;

/** The role that a service works as: it has rights in the service's schema only. */
export const databaseRole = (service: string) => `bailiwick_${service}`;

// MikroORM reads only host, port, user, password and database of a URL: a connection that requires
// TLS would be plain. The driver itself reads the whole URL, with the authority's file, for each
// connection. The URL's `options` are removed, since they would take precedence over the role.
export function connectionOf(url: string): { connectionString: string } {
  const whole = new URL(url);
  whole.searchParams.delete('options');
  return { connectionString: whole.href };
}

/** MikroORM's options for one service's schema, shared with the migrations and the schema test. */
export function ormOptions(options: Omit<DatabaseOptions, 'log' | 'poolSize'>): Options {
  return {
    clientUrl: options.url,
    schema: options.service,
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

/** Runs `work` in one transaction. Calls `committed` after a commit that was announced. */
async function transact<T>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<T>,
  committed: () => void,
): Promise<T> {
  let inner = em;
  const result = await em.transactional((forked) => {
    inner = forked;
    return withBeforeCommit(inner, work);
  });
  if (announced.has(inner)) committed();
  return result;
}

/** MikroORM and its pool. */
function connect(options: DatabaseOptions) {
  const pools: Pool[] = [];
  const orm = new MikroORM({
    ...ormOptions(options),
    pool: { min: 0, max: options.poolSize },
    driverOptions: {
      ...connectionOf(options.url),
      application_name: `bailiwick-${options.service}`,
      options: `-c role=${databaseRole(options.service)} -c search_path=${options.service} -c statement_timeout=${statementLimitMs} -c idle_in_transaction_session_timeout=15000`,
      // A server that is down refuses at once; an overloaded one is slow.
      connectionTimeoutMillis: 8000,
      onPoolCreated(pool: Pool) {
        endSilentConnections(pool);
        releaseCutConnections(pool);
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
  const transactionSpan = {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.namespace': options.service },
  };

  const turns = createTransactionTurns(options.poolSize);
  const listeners: Array<() => void> = [];
  const committed = () => {
    for (const listener of listeners) listener();
  };

  return {
    service: options.service,
    orm,

    /**
     * Runs `work` in one transaction, scoped to a tenant ("" = the platform's own rows, null = no
     * tenant-scoped table may be used). Transactions of one `row` run one after the other, and
     * those of one tenant share a part of the connections. @throws resource_exhausted in a client's
     * call if too many are waiting; all other work waits
     */
    transaction<T>(
      scope: string | null | Scope,
      work: (em: EntityManager) => Promise<T>,
    ): Promise<T> {
      const turn = scope === null || typeof scope === 'string' ? { tenant: scope } : scope;
      return turns.transaction(turn, () => {
        const em = orm.em.fork();
        if (turn.tenant !== null) em.setFilterParams('tenant', { tenant: turn.tenant });
        return inSpan('transaction', transactionSpan, () => transact(em, work, committed));
      });
    },

    /** Calls `listener` after each commit that `announceCommit` announces. */
    onCommit: (listener: () => void): void => void listeners.push(listener),

    /**
     * Runs work that reads a row and later changes it in a transaction, one call at a time for each
     * row. It holds no connection while it waits. The transaction inside must use another row name.
     */
    inTurn: turns.row,

    /**
     * Runs work for a tenant that shares its statements with other work. It counts among the calls
     * of its caller and of the tenant. @throws resource_exhausted like `transaction`
     */
    inCall: turns.call,

    /** Runs a prepared statement of a queries.ts outside of transactions. */
    async query<Row extends QueryResultRow>(
      statement: Statement,
      values: readonly unknown[],
    ): Promise<Row[]> {
      const result = await pool.query<Row>({ ...statement, values: [...values] });
      return result.rows;
    },

    /** Throws while the database is away or the role is missing. */
    async ping(): Promise<void> {
      await pool.query('select 1');
    },

    close: () => orm.close(true),
  };
}

async function withBeforeCommit<T>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const last = new Set<BeforeCommit>();
  beforeCommits.set(em, last);
  const result = await work(em);
  for (const each of last) await each(em);
  return result;
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
  (database: Database): Run =>
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

/** Whether an error is a unique violation of that constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  causesOf(error).some((cause) => cause.code === '23505' && cause.constraint === constraint);

/**
 * Whether a lock timed out or deadlocked: PostgreSQL's lock_not_available and deadlock_detected.
 */
export const lacksLock = (error: unknown): boolean =>
  causesOf(error).some(({ code }) => code === '55P03' || code === '40P01');

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

// A hanging server, or a network that drops packets, closes no connection: the driver would wait
// for ever, and the pool would stay exhausted until the operating system gives up after a quarter
// of an hour.
function endSilentConnections(pool: Pool): void {
  const taken = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  pool.on('connect', (client) => {
    // Not in the driver's types. Over TLS this is the encrypted stream.
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.setTimeout(silenceLimitMs, () => {
      if (taken.has(client)) stream.destroy();
    });
  });
}

// Kysely releases a transaction's connection after the rollback, which never succeeds on a cut
// connection: each outage would leak connections until the pool is empty.
function releaseCutConnections(pool: Pool): void {
  const taken = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!taken.has(client)) return;
      const release = client.release.bind(client);
      // The holder may still release it: that must not count twice.
      client.release = () => {};
      release(true);
    });
  });
}
