import { createBatch, serviceOrigin } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { markFresh } from './queries.ts';

// Marks rows that were published from memory. Nobody waits for a mark, so that one statement serves
// the rows of a moment.

/**
 * Rows that are not marked after a second are published again by other replicas, so the rest is
 * short, and a statement takes what the relay publishes meanwhile.
 */
const marking = { atOnce: 1, size: 2000, restMs: 25, restsAfterOne: true };

type Position = { id: string; seq: number };

/** `onFailure`: the rows of a statement that failed are published again, from the table. */
export function createMarks(database: Database, log: Log, onFailure: () => void) {
  const pending = new Map<string, Promise<Position>>();

  async function write(positions: readonly Position[]): Promise<readonly Position[]> {
    const call = serviceOrigin(database.service);
    const isMarked = await database.write(call, markFresh, [JSON.stringify(positions)]).then(
      () => true,
      (error: unknown) => {
        const rows = positions.length;
        log.warn('marking published changes failed, publishing them again', { rows, error });
        return false;
      },
    );
    for (const { id } of positions) pending.delete(id);
    if (!isMarked) onFailure();
    return positions;
  }
  const mark = createBatch(write, marking);

  return {
    add(positions: readonly Position[]): void {
      for (const position of positions) pending.set(position.id, mark(position));
    },
    /** The published rows that the table does not show as such yet. */
    pendingIds: (): string[] => [...pending.keys()],
    /** Resolves when the marks of now are written. */
    whenWritten: (): Promise<unknown> => Promise.all(pending.values()),
  };
}

export type Marks = ReturnType<typeof createMarks>;
