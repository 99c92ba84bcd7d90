import type { Database } from '@bailiwick/store';

// Rows that this process has just committed to the outbox. Its relay publishes them from memory,
// without reading them first. A row that is missing here is published from the table.

/** An outbox row, as the relay publishes it. */
export type FreshRow = {
  id: string;
  forTenant: string;
  type: string;
  event: string | null;
  audit: string;
  traceparent: string;
  createdAt: Date;
};

type Fresh = {
  rows: FreshRow[];
  /** Whether rows were left out: the table has them. */
  hasMore: boolean;
  wake: () => void;
};

/** Limits of the rows in memory, in number and in characters. The table keeps the others. */
const most = 1000;
const mostCharacters = 16_384;
/**
 * Another replica may have published an older row from the table, and the broker recognises a copy
 * for some minutes only.
 */
const oldestMs = 60_000;

const freshOf = new WeakMap<Database, Fresh>();

function openFresh(database: Database): Fresh {
  const fresh = freshOf.get(database) ?? { rows: [], hasMore: false, wake: () => {} };
  freshOf.set(database, fresh);
  return fresh;
}

/** Calls `wake` after rows were handed over. */
export const onHandOver = (database: Database, wake: () => void): void =>
  void (openFresh(database).wake = wake);

/** Hands committed rows to the relay of this process. */
export function handOver(database: Database, rows: readonly FreshRow[]): void {
  const fresh = openFresh(database);
  const small = rows.filter(
    ({ event, audit }) => (event?.length ?? 0) + audit.length <= mostCharacters,
  );
  const kept = small.slice(0, most - fresh.rows.length);
  fresh.rows.push(...kept);
  if (kept.length < rows.length) fresh.hasMore = true;
  fresh.wake();
}

/** Removes the rows handed over so far and returns the new ones. `hasMore`: the table has more. */
export function takeFresh(database: Database): { rows: FreshRow[]; hasMore: boolean } {
  const fresh = openFresh(database);
  const { hasMore } = fresh;
  const rows = fresh.rows.filter(({ createdAt }) => Date.now() - createdAt.getTime() < oldestMs);
  const isOld = rows.length < fresh.rows.length;
  fresh.rows = [];
  fresh.hasMore = false;
  return { rows, hasMore: hasMore || isOld };
}
