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
  /**
   * Publishes the tasks of the event, if this process makes them. Otherwise, and if the row is
   * published from the table, fan-out makes them. `isFirst`: whether none was published before.
   */
  makeTasks?: ((isFirst: boolean) => Promise<void>) | undefined;
};

/** How long other replicas leave a row to the process that wrote it (queries.ts). */
const ownMs = 1000;

/**
 * Whether other replicas leave the row to this process, except those that have just started or have
 * more rows than they hold. Of what two publish, the broker drops the second for some minutes.
 */
export const isOwn = ({ createdAt }: FreshRow): boolean => Date.now() - createdAt.getTime() < ownMs;

/** Limits of the rows in memory, in number and in characters. The table keeps the others. */
const most = 1000;
const mostCharacters = 16_384;
/**
 * Another replica may have published an older row from the table, and the broker recognises a copy
 * for some minutes only.
 */
const oldestMs = 60_000;

/** The committed rows of a service that its relay has not taken yet. */
export type Handover = ReturnType<typeof createHandover>;

/** Creates the way of committed rows to the relay of this process. */
export function createHandover() {
  let rows: FreshRow[] = [];
  /** Whether rows were left out: the table has them. */
  let hasMore = false;
  let wake = () => {};
  return {
    /** Calls `listener` after rows were added. */
    onAdd: (listener: () => void): void => void (wake = listener),

    add(committed: readonly FreshRow[]): void {
      const small = committed.filter(
        ({ event, audit }) => (event?.length ?? 0) + audit.length <= mostCharacters,
      );
      const additions = small.slice(0, most - rows.length);
      rows.push(...additions);
      if (additions.length < committed.length) hasMore = true;
      wake();
    },

    /** Removes the rows added so far and returns the new ones. `hasMore`: the table has more. */
    take(): { rows: FreshRow[]; hasMore: boolean } {
      const young = rows.filter(({ createdAt }) => Date.now() - createdAt.getTime() < oldestMs);
      const batch = { rows: young, hasMore: hasMore || young.length < rows.length };
      rows = [];
      hasMore = false;
      return batch;
    },
  };
}
