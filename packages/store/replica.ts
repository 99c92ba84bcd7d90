import { createBatch } from '@bailiwick/contract';
import { counter, type Log } from '@bailiwick/process';
import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import { assertReads, queryOf, type Run, type Statement } from './statements.ts';

// Reads from a replica of the database, for callers who name a position in the write-ahead log: a
// replica that has replayed it has the caller's own last change. In all other cases the primary
// answers.

/** A place in the write-ahead log of one server and its replicas. */
export type Position = { server: string; lsn: bigint };

/** Runs statements that only read. */
export type Reader = { query: Run };

/** Whether a replica answered, or why the primary did. */
type Outcome = 'replica' | 'no_position' | 'behind' | 'failed';

const reads = counter<{ service: string; outcome: Outcome }>({
  name: 'bailiwick_replica_reads_total',
  about:
    'Statements of lists that a replica may run, by outcome: replica, or why the primary ran it: no_position (the caller named none), behind or failed.',
});

/** For these operations the primary takes over at once, so none waits long for a replica. */
const connectLimitMs = 1000;
const statementLimitMs = 3000;
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

const serverOf = '(select system_identifier::text from pg_control_system()) as server';

const currentPosition: Statement<{ server: string; lsn: string }, []> = {
  name: 'shared.position',
  text: `select ${serverOf}, (pg_current_wal_insert_lsn() - '0/0')::text as lsn`,
};

// A server that is no replica, or no longer one, has replayed nothing.
const replayedPosition: Statement<{ server: string; lsn: string | null }, []> = {
  name: 'shared.replayed_position',
  text: `select ${serverOf}, case when pg_is_in_recovery() and pg_last_xact_replay_timestamp() > now() - interval '${freshSeconds} s'
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
  const pool = new Pool({
    ...connection,
    connectionTimeoutMillis: connectLimitMs,
    query_timeout: statementLimitMs,
    keepAlive: true,
  });
  // An idle connection that ends is replaced with the next use.
  pool.on('error', () => {});
  let pausedUntil = 0;

  function pause(error: unknown): void {
    pausedUntil = performance.now() + pauseMs;
    log.warn('the replica cannot be read, the primary answers', { error });
  }

  /** The rows that a statement reads at the position or later, or why it cannot. */
  async function read<Row>(position: Position, query: QueryConfig): Promise<Row[] | Outcome> {
    if (performance.now() < pausedUntil) return 'failed';
    let client: PoolClient | undefined;
    let isUsable = false;
    try {
      client = await pool.connect();
      const hasReplayed = await reaches(client, position);
      isUsable = true;
      const rows = hasReplayed && ((await client.query(query)).rows as Row[]);
      client.release();
      return rows || 'behind';
    } catch (error) {
      client?.release(true);
      // A statement may fail alone: replaying a change can cancel it.
      if (!isUsable || !(error instanceof DatabaseError)) pause(error);
      return 'failed';
    }
  }

  return {
    /** Reads from the replica while it reaches the position, and then from the primary. */
    readerAt(position: Position | undefined, primary: Reader): Reader {
      let isAsked = position !== undefined;
      return {
        async query<Row, Values extends readonly unknown[]>(
          statement: Statement<Row, Values>,
          values: NoInfer<Values>,
        ): Promise<Row[]> {
          assertReads(statement);
          const rows =
            position && isAsked
              ? await read<Row>(position, queryOf(statement, values))
              : 'no_position';
          if (typeof rows !== 'string') {
            reads.add({ service, outcome: 'replica' });
            return rows;
          }
          // From now on, so that no later statement sees an earlier state.
          isAsked = false;
          reads.add({ service, outcome: rows });
          return primary.query(statement, values);
        },
      };
    },
    close: () => pool.end(),
  };
}

/** How far the server of a connection has replayed. */
type Replayed = { position: Position; at: number };

// The state of a connection: behind one address there may be several replicas.
const replayed = new WeakMap<PoolClient, Replayed>();

/** Whether the server of a connection has replayed a position. */
async function reaches(client: PoolClient, position: Position): Promise<boolean> {
  const last = replayed.get(client);
  if (last && performance.now() - last.at < trustedMs && contains(last.position, position))
    return true;
  const at = performance.now();
  const { rows } = await client.query<{ server: string; lsn: string | null }>(
    queryOf(replayedPosition, []),
  );
  const [row] = rows;
  if (!row || row.lsn === null) return false;
  const current = { server: row.server, lsn: BigInt(row.lsn) };
  replayed.set(client, { position: current, at });
  return contains(current, position);
}

const contains = (all: Position, some: Position): boolean =>
  all.server === some.server && all.lsn >= some.lsn;
