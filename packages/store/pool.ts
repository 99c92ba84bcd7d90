import type { Socket } from 'node:net';
import { causesOf, PoolBusy } from '@bailiwick/errors';
import { gauge } from '@bailiwick/process';
import type { Pool, PoolClient } from 'pg';
import { preparedName } from './statements.ts';

// The pool of a service's connections: its metrics, and the connections that a failure has left.

/** Statement timeout of the server. */
export const statementLimitMs = 10_000;
/** Lock timeout of the server: shorter, so that a wait for a row fails as one. */
export const lockLimitMs = statementLimitMs - 500;
/** A connection in use that is silent for longer has lost its server. */
const silenceLimitMs = statementLimitMs + 2000;

const connections = gauge<{ service: string; state: 'used' | 'idle' }>({
  name: 'bailiwick_database_connections',
  about: 'Connections of a service to its database, in use and idle.',
});

const waiting = gauge<{ service: string }>({
  name: 'bailiwick_database_waiting',
  about: 'Calls that wait for a connection to the database.',
});

export function measurePool(service: string, pool: Pool): void {
  connections.from(() => [
    { value: pool.totalCount - pool.idleCount, labels: { service, state: 'used' } },
    { value: pool.idleCount, labels: { service, state: 'idle' } },
  ]);
  waiting.from(() => [{ value: pool.waitingCount, labels: { service } }]);
}

// A hanging server, or a network that drops packets, closes no connection: the driver would wait
// for ever, and the pool would stay exhausted until the operating system gives up after a quarter
// of an hour.
export function endSilentConnections(pool: Pool): void {
  // The state of a connection.
  const busy = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => busy.add(client));
  pool.on('release', (_error, client) => busy.delete(client));
  pool.on('connect', (client) => {
    // Not in the driver's types. Over TLS this is the encrypted stream.
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.setTimeout(silenceLimitMs, () => {
      if (busy.has(client)) stream.destroy();
    });
  });
}

/** How long the transaction of a guarded call waits for a lock, or stands still. */
const heldMs = 2000;
/**
 * How a guarded transaction begins, with the isolation level that is the default anyway: only the
 * text of the statement reaches the connection through MikroORM.
 */
export const guardedBegin = 'start transaction isolation level read committed';
const boundedBegin = `begin; set local lock_timeout = ${heldMs}; set local idle_in_transaction_session_timeout = ${heldMs}`;

// A call may hold a row that a revocation of its own right needs, and its process may stand still:
// the revocation would wait until the server ends the transaction. Sent with the begin, the limits
// cost no statement of their own.
export function boundGuarded(pool: Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const bounded = (text: unknown, ...rest: unknown[]) =>
      query(text === guardedBegin ? boundedBegin : text, ...rest);
    Object.assign(client, { query: bounded });
  });
}

// A statement of a transaction is planned once per connection, as one on the pool.
export function prepareNamed(pool: Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const named = (text: unknown, ...rest: unknown[]) => {
      const name = typeof text === 'string' ? preparedName(text) : undefined;
      return name === undefined
        ? query(text, ...rest)
        : query({ name, text, values: rest[0] }, ...rest.slice(1));
    };
    Object.assign(client, { query: named });
  });
}

// Kysely releases a transaction's connection after the rollback, which never succeeds on a cut
// connection: each outage would leak connections until the pool is empty.
export function releaseCutConnections(pool: Pool): void {
  // The state of a connection.
  const busy = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => busy.add(client));
  pool.on('release', (_error, client) => busy.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!busy.has(client)) return;
      const release = client.release.bind(client);
      // The holder may still release it: that must not count twice.
      client.release = () => {};
      release(true);
    });
  });
}

/** A wait for a connection of a full pool has ended without one. */
export const noConnection = /timeout exceeded when trying to connect/;

/**
 * Returns a function that runs work with a connection. A wait for a connection that ends without one
 * fails with PoolBusy, if others were given back meanwhile: the database is busy, and not away.
 */
export function createBusyCheck(pool: Pool, size: number) {
  let givenBackAt = 0;
  pool.on('release', (error) => {
    if (!error) givenBackAt = performance.now();
  });
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    try {
      return await work();
    } catch (thrown) {
      const isBusy =
        pool.totalCount >= size &&
        givenBackAt > began &&
        causesOf(thrown).some(({ message }) => noConnection.test(message));
      throw isBusy ? new PoolBusy(thrown) : thrown;
    }
  };
}

/** The server has no connection left, for anyone or for this role (too_many_connections). */
const isFull = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '53300';
/** Another client of the server may give a connection back. */
const lookAgainMs = 250;

/**
 * Lets calls wait for a connection of this pool if the server gives it no further one: each of its
 * calls would fail while its own connections are busy. `limitMs`: then the call fails as before.
 */
export function waitAtServerLimit(pool: Pool, limitMs: number): void {
  const connect = pool.connect.bind(pool);
  const waiters: Array<() => void> = [];
  const wakeOne = (): void => waiters.shift()?.();
  pool.on('release', wakeOne);
  pool.on('remove', wakeOne);

  const released = (): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiters.splice(waiters.indexOf(wake), 1);
        resolve();
      }, lookAgainMs);
      waiters.push(wake);
    });

  async function connectOrWait(): Promise<PoolClient> {
    const endsAt = performance.now() + limitMs;
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (!isFull(error) || pool.totalCount === 0 || performance.now() > endsAt) throw error;
      }
      await released();
    }
  }
  type ConnectCallback = (
    error: Error | undefined,
    client?: PoolClient,
    release?: () => void,
  ) => void;
  const connectWith = (callback?: ConnectCallback): Promise<PoolClient> | void =>
    callback ? connect(callback as Parameters<Pool['connect']>[0]) : connectOrWait();
  pool.connect = connectWith as Pool['connect'];
}
