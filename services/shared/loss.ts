import type { Broker } from './broker.ts';
import type { Log } from './log.ts';
import { counter } from './metrics.ts';
import { type Database, type EntityManager, execute, type Statement } from './orm.ts';
import type { StreamName, StreamState } from './streams.ts';

// What the broker has lost is published again (docs/reliability.md). The outbox keeps what was published for 24 h, with the
// number under which the event stream took it. A row is safe while the stream still holds it there, and holds it since after
// the stream of tasks came to be: the tasks that follow from an event are never published before the event. The broker's own
// clock alone is asked, so that it does not matter how another one goes.

/**
 * Streams lose what is oldest, where they were made anew, or what is newest, where they come back as they were some time
 * ago. So the rows at both ends tell: a page of them, since the last few may have gone out after the loss.
 */
const page = 200;
const marked = 5000;
/** A lone server that lost power may have lost the end of the tasks of as long as it waits for its disk, by default. */
const overlap = '3 minutes';
const everyMs = 60_000;

const republished = counter(
  {
    name: 'bailiwick_broker_loss_republished_total',
    about:
      'Changes that were published again because the broker had lost them or what followed from them.',
  },
  {},
);

/** Does `work` once for each connection to the broker, and each minute. `doubt` has it done the next time. */
export function createLookout(broker: Pick<Broker, 'connections'>, work: () => Promise<void>) {
  let connection = 0;
  let at = Number.NEGATIVE_INFINITY;
  return {
    async look(): Promise<void> {
      const current = broker.connections();
      if (current === connection && performance.now() - at < everyMs) return;
      await work();
      connection = current;
      at = performance.now();
    },
    doubt: () => void (at = Number.NEGATIVE_INFINITY),
  };
}

type Row = { id: string; seq: string };
type Deps = { database: Database; broker: Pick<Broker, 'states' | 'held'>; log: Log };

/**
 * Looks for rows that the broker has lost, and has them wait for the relay again. Any number of replicas may do so at once:
 * a row that one of them has found is published already, or waits for it. Returns how many there were.
 */
export async function findLosses({ database, broker, log }: Deps): Promise<number> {
  const [clock] = await database.query<{ now: string }>(time, []);
  const streams = await broker.states();
  const isLost = ({ id, seq }: Row) => isGone(broker, streams, id, Number(seq));
  // Whoever is interrupted leaves rows at the end at which the next one begins to look.
  const oldest = await lostFrom(database, fromOldest, '', isLost);
  let count = oldest === undefined ? 0 : await markAll(database, markUpTo, [clock?.now, oldest]);
  const newest = await lostFrom(database, fromNewest, afterAll, isLost);
  if (newest !== undefined)
    count += await markAll(database, markFrom, [clock?.now, newest, overlap]);
  if (count === 0) return 0;
  republished.add({}, count);
  log.error('the broker has lost what it was given: it is published again', {
    rows: count,
    service: database.service,
  });
  return count;
}

async function isGone(
  broker: Deps['broker'],
  { EVT, TASK }: Record<StreamName, StreamState>,
  id: string,
  seq: number,
): Promise<boolean> {
  // What is beyond the end was published since the streams were asked about, or is lost.
  const isBeyond = seq > EVT.lastSeq && seq > (await broker.states()).EVT.lastSeq;
  const held = isBeyond ? undefined : await broker.held('EVT', seq);
  return (
    held === undefined ||
    (held.id !== id && !held.id.startsWith(`${id}:`)) ||
    held.at < TASK.created
  );
}

/** The last row in this direction that is lost, before a page without any. */
async function lostFrom(
  database: Database,
  statement: Statement,
  start: string,
  isLost: (row: Row) => Promise<boolean>,
): Promise<string | undefined> {
  let found: string | undefined;
  for (let from = start; ; ) {
    const rows = await database.query<Row>(statement, [from, page]);
    const lost = await Promise.all(rows.map(isLost));
    const last = rows[lost.lastIndexOf(true)];
    if (!last) return found;
    found = last.id;
    from = rows.at(-1)?.id ?? from;
  }
}

async function markAll(
  database: Database,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  let count = 0;
  for (;;) {
    const [row] = await database.transaction(null, (em: EntityManager) =>
      execute<{ count: number }>(em, text, [...values, marked]),
    );
    count += row?.count ?? 0;
    if ((row?.count ?? 0) < marked) return count;
  }
}

const time: Statement = { name: 'outbox.time', text: 'select now()' };

/** No id is greater: they begin with a letter. */
const afterAll = '~';
const fromOldest: Statement = {
  name: 'outbox.oldest_published',
  text: 'select id, stream_seq as seq from outbox where published_at is not null and id > $1 order by id limit $2',
};
const fromNewest: Statement = {
  name: 'outbox.newest_published',
  text: 'select id, stream_seq as seq from outbox where published_at is not null and id < $1 order by id desc limit $2',
};

// The number stays, so that the row is published under another id than before: the broker may know that one still. What
// another replica has published since is left alone.
const markUpTo = `
  with lost as (
    update outbox set published_at = null where published_at < $1 and id in
      (select id from outbox where published_at < $1 and id <= $2 order by id desc limit $3) returning 1)
  select count(*)::int as count from lost`;
const markFrom = `
  with lost as (
    update outbox set published_at = null where published_at < $1 and id in
      (select id from outbox where published_at < $1
         and published_at >= (select coalesce(min(published_at), $1) from outbox where id >= $2) - $3::interval order by id limit $4) returning 1)
  select count(*)::int as count from lost`;
