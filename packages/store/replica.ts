import { createBatch } from '@bailiwick/contract';
import { counter, type Log } from '@bailiwick/process';
import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import { noConnection } from './pool.ts';
import { assertReads, queryOf, type Run, type Statement } from './statements.ts';

// Reads from a replica of the database, for callers who name a position in the write-ahead log: a
// replica that has replayed it has the caller's own last change. In all other cases the primary
// answers.

/**
 * A place in the write-ahead log of one server and its replicas. `server` also names the timeline
 * and the database.
 */
export type Position = { server: string; lsn: bigint };

/** Runs statements that only read. */
export type Reader = { query: Run };

/** The replica answered, or the reason why the primary did. */
type Outcome = 'replica' | 'no_position' | 'behind' | 'failed';

const reads = counter<{ service: string; outcome: Outcome }>({
  name: 'bailiwick_replica_reads_total',
  about:
    'Statements of lists that a replica may run, by outcome: replica, or the reason why the primary ran them: no_position (the caller named none), behind or failed.',
});

/** The primary takes over after so long, so that no list waits long for a replica. */
const detourLimitMs = 1500;
const connectLimitMs = 1000;
/** Statement timeout of the replica: it ends before the driver abandons the statement. */
const statementLimitMs = 1400;
/** After a failure the primary alone answers for so long. */
const pauseMs = 5000;
/** How long a connection trusts the last answer of its server. */
const trustedMs = 1000;
/**
 * A replica that has replayed no commit for longer is not used: it may have lost its primary. With
 * the time above, a list is ten seconds old at most. On an idle installation the primary answers
 * then, which has nothing else to do.
 */
const freshSeconds = 9;

// After a failover the log of a lost primary may have other changes at the same place. All databases
// of a server share the log.
const serverAt = (timeline: string) =>
  `(select concat_ws('/', system_identifier, ${timeline}, (select oid from pg_database where datname = current_database())) from pg_control_system()) as server`;

const currentPosition: Statement<{ server: string; lsn: string }, []> = {
  name: 'shared.position',
  text: `select ${serverAt('left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)')},
           (pg_current_wal_insert_lsn() - '0/0')::text as lsn`,
};

// A server that is no replica, or no longer one, has replayed nothing. The timeline is that of the
// last checkpoint: after a failover it may be an earlier one for some minutes.
const replayPosition: Statement<{ server: string; lsn: string | null }, []> = {
  name: 'shared.replay_position',
  text: `select ${serverAt("(select lpad(upper(to_hex(timeline_id)), 8, '0') from pg_control_checkpoint())")},
           case when pg_is_in_recovery() and pg_last_xact_replay_timestamp() > now() - interval '${freshSeconds} s'
           then (pg_last_wal_replay_lsn() - '0/0')::text end as lsn`,
};

/**
 * Reads the position of the primary, which has every change that was committed before. Calls that
 * come meanwhile share the next statement.
 */
export function createPositionReader(run: Run): () => Promise<Position | undefined> {
  const read = createBatch<undefined, Position | undefined>(
    async (waiting) => {
      const [row] = await run(currentPosition, []);
      const position = row && { server: row.server, lsn: BigInt(row.lsn) };
      return waiting.map(() => position);
    },
    { atOnce: 1 },
  );
  return () => read(undefined);
}

type ReplicaOptions = { service: string; connection: PoolConfig; log: Log };

/** Opens a replica. It connects on demand, and nothing waits for it. */
export function openReplica({ service, connection, log }: ReplicaOptions) {
  const pool = createPool(connection);
  const pauses = createPauses(log);

  /** The rows of a statement at the position or later, or the reason why there are none. */
  async function read<Row>(position: Position, query: QueryConfig): Promise<Rows<Row> | Outcome> {
    const turn = pauses.begin();
    if (!turn) return 'failed';
    const endsAt = performance.now() + detourLimitMs;
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      const current = await positionOf(client, position, endsAt);
      const isBehind = current === undefined || !contains(current, position);
      const result = isBehind
        ? 'behind'
        : { rows: await runUntil<Row>(client, query, endsAt), position: current };
      client.release();
      turn.succeeded();
      return result;
    } catch (error) {
      client?.release(true);
      if (!isPassing(error)) turn.failed(error);
      return 'failed';
    }
  }

  return {
    /** Reads from the replica while it reaches the position, and then from the primary. */
    readerAt(position: Position | undefined, primary: Reader): Reader {
      let required = position;
      let outcome: Outcome = position ? 'replica' : 'no_position';
      return {
        async query<Row, Values extends readonly unknown[]>(
          statement: Statement<Row, Values>,
          values: NoInfer<Values>,
        ): Promise<Row[]> {
          assertReads(statement);
          const result =
            required && outcome === 'replica'
              ? await read<Row>(required, queryOf(statement, values))
              : outcome;
          if (typeof result === 'string') {
            // From now on, so that no later statement sees an earlier state.
            outcome = result;
            reads.add({ service, outcome });
            return primary.query(statement, values);
          }
          // The next statement may use another replica behind the same address.
          required = result.position;
          reads.add({ service, outcome: 'replica' });
          return result.rows;
        },
      };
    },
    close: () => pool.end(),
  };
}

/** Rows of a replica, and the position that it had replayed before. */
type Rows<Row> = { rows: Row[]; position: Position };

function createPool(connection: PoolConfig): Pool {
  const pool = new Pool({
    ...connection,
    options: `${connection.options} -c statement_timeout=${statementLimitMs}`,
    connectionTimeoutMillis: connectLimitMs,
    keepAlive: true,
  });
  // An idle connection that ends is replaced with the next use.
  pool.on('error', () => {});
  // The pool listens to idle connections only. One that ends in use fails its statement, and its
  // event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Replaying a change may cancel a statement, and all connections may be in use. */
const isPassing = (error: unknown): boolean =>
  error instanceof DatabaseError
    ? error.code === '40001' || error.code === '40P01'
    : error instanceof Error && noConnection.test(error.message);

/** The times in which the primary alone answers. After one, a single call tries the replica. */
function createPauses(log: Log) {
  let endsAt: number | undefined;

  return {
    /** Undefined during a pause. */
    begin() {
      const isTrial = endsAt !== undefined;
      if (endsAt !== undefined) {
        if (performance.now() < endsAt) return undefined;
        endsAt = performance.now() + pauseMs;
      }
      return {
        succeeded() {
          if (isTrial) endsAt = undefined;
        },
        failed(error: unknown) {
          if (endsAt !== undefined && !isTrial) return;
          endsAt = performance.now() + pauseMs;
          log.warn('the replica cannot be read, the primary answers', { error });
        },
      };
    },
  };
}

/** Runs a statement on a connection until a time. */
async function runUntil<Row>(
  client: PoolClient,
  query: QueryConfig,
  endsAt: number,
): Promise<Row[]> {
  // Not in the driver's types. For it, 0 is no limit.
  const limit = { query_timeout: Math.max(1, Math.ceil(endsAt - performance.now())) };
  return (await client.query({ ...query, ...limit })).rows as Row[];
}

/** How far the server of a connection has replayed. */
type Progress = { position: Position; at: number };

// The state of a connection: behind one address there may be several replicas.
const progressOf = new WeakMap<PoolClient, Progress>();

/** How far the server of a connection has replayed, not older than needed for `required`. */
async function positionOf(
  client: PoolClient,
  required: Position,
  endsAt: number,
): Promise<Position | undefined> {
  const last = progressOf.get(client);
  if (last && performance.now() - last.at < trustedMs && contains(last.position, required))
    return last.position;
  const at = performance.now();
  const [row] = await runUntil<{ server: string; lsn: string | null }>(
    client,
    queryOf(replayPosition, []),
    endsAt,
  );
  if (!row || row.lsn === null) return undefined;
  const position = { server: row.server, lsn: BigInt(row.lsn) };
  progressOf.set(client, { position, at });
  return position;
}

const contains = (all: Position, some: Position): boolean =>
  all.server === some.server && all.lsn >= some.lsn;
