import { type Database, type Statement } from '@bailiwick/database';

// Two installations must never share streams: each would take the other's messages. So a stream
// carries the id of the installation that made it.

/** The installation that a process belongs to. */
export type Owner = {
  id: string;
  /**
   * Whether a stream that carries no id is this installation's. `idAt` reads the message id at a
   * sequence number of the event stream.
   */
  recognises(idAt: (seq: number) => Promise<string | undefined>): Promise<boolean>;
};

/**
 * Something at the broker that this process must not use. The message is one line for an operator.
 * Waiting does not help.
 */
export class BrokerProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokerProblem';
  }
}

const published: Statement = {
  name: 'outbox.last_published',
  text: 'select id, stream_seq::int8 as seq from outbox where stream_seq is not null order by id desc limit 50',
};

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
      const rows = await database.query<{ id: string; seq: string }>(published, []);
      if (rows.length === 0) return true;
      for (const { id: row, seq } of rows) {
        const held = await idAt(Number(seq));
        if (held === row || held?.startsWith(`${row}:`)) return true;
      }
      return false;
    },
  };
}
