import { type Owner } from '@bailiwick/broker';
import type { Database } from '@bailiwick/store';
import { lastPublished } from './queries.ts';

/**
 * The owner for a service of this installation. `adopts`: the installation is older than the ids of
 * streams. Its stream holds the rows of its outbox, which are kept for 24 h; an installation that
 * has been idle for longer has no other proof than its age.
 */
export function createOwner(
  database: Pick<Database, 'query'>,
  { id, adopts }: { id: string; adopts: boolean },
): Owner {
  return {
    id,
    async recognises(idAt) {
      if (!adopts) return false;
      const rows = await database.query(lastPublished, []);
      if (rows.length === 0) return true;
      for (const { id: row, seq } of rows) {
        const messageId = await idAt(Number(seq));
        if (messageId === row || messageId?.startsWith(`${row}:`)) return true;
      }
      return false;
    },
  };
}
