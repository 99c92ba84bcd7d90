import { createHash } from 'node:crypto';
import type { Log } from '@bailiwick/process';
import type { EntitySchema, EventSubscriber, FlushEventArgs } from '@mikro-orm/core';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import {
  boundGuarded,
  endSilentConnections,
  lockLimitMs,
  prepareNamed,
  releaseCutConnections,
  statementLimitMs,
  waitAtServerLimit,
} from './pool.ts';
import { openReplica } from './replica.ts';

// How a service connects to its part of the database: MikroORM and its pool, and the replica. Each
// session works as the service's role, in its schema.

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

/** The name of a service's connections; the version is missing in versions before it had one. */
const connectionName = ({ service, version }: DatabaseOptions): string =>
  version === undefined ? `bailiwick-${service}` : `bailiwick-${service}@${version}`;

const connectLimitMs = 8000;

/** The settings of each session: it works as the service's role, in its schema. */
const sessionOf = ({ service, url }: Pick<DatabaseOptions, 'service' | 'url'>): string =>
  `${sessionOptions} -c role=${databaseRole(service, url)} -c search_path=${service}`;

/** The service's replica, whose sessions have the same role. */
export const connectReplica = (options: DatabaseOptions, readUrl: string) =>
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
export function connect(options: DatabaseOptions) {
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
