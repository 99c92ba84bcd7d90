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
  const pending = new Map<string, Promise<void>>();
  const write = createBatch(async (positions: readonly Position[]) => {
    await database.write(serviceOrigin(database.service), markFresh, [JSON.stringify(positions)]);
    return positions;
  }, marking);

  async function mark(position: Position): Promise<void> {
    try {
      await write(position);
    } catch (error) {
      log.warn('marking a published change failed, publishing it again', {
        row: position.id,
        error,
      });
      onFailure();
    }
    pending.delete(position.id);
  }

  return {
    add(positions: readonly Position[]): void {
      for (const position of positions) pending.set(position.id, mark(position));
    },
    /** The published rows that the table does not show as such yet. */
    pendingIds: (): string[] => [...pending.keys()],
    settled: (): Promise<unknown> => Promise.all(pending.values()),
  };
}

export type Marks = ReturnType<typeof createMarks>;
