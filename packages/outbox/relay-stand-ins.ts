import type { Broker } from '@bailiwick/broker';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { createHandover, type FreshRow } from './handover.ts';
import { startRelay } from './relay.ts';

// Stand-ins for the database and the broker, for tests of a relay's order of events.

export const row = (id: string, { age = 0, audit = '{}' } = {}): FreshRow => ({
  id,
  forTenant: '',
  type: 'a',
  event: null,
  audit,
  traceparent: '',
  createdAt: new Date(Date.now() - age),
});

/** A database without rows, but for these parts. */
export const databaseWith = (parts: object): Database =>
  ({
    service: 'test',
    onCommit: () => {},
    query: async () => [],
    write: async () => [],
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) =>
      work({ query: async () => [] }),
    ...parts,
  }) as unknown as Database;

/** A connected broker with empty streams, but for these parts. */
export const brokerWith = (parts: object): Broker =>
  ({
    isConnected: () => true,
    connections: () => 1,
    states: async () => ({
      EVT: { created: new Date(0), lastSeq: 0 },
      TASK: { created: new Date(0), lastSeq: 0 },
    }),
    publish: async () => 7,
    ...parts,
  }) as unknown as Broker;

/** A relay with an empty handover. It looks into the table by itself once in `intervalMs`. */
export function relayWith(database: Database, broker: Broker, intervalMs = 3_600_000) {
  const handover = createHandover();
  const log = createLog('test', () => {});
  return { handover, relay: startRelay({ database, handover, broker, log, intervalMs }) };
}
