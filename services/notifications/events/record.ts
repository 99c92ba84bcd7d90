import type { Origin } from '@bailiwick/contract';
import { changeRow, type FreshRow, type InsertRows, recordRows } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';
import { takeIds } from './queries.ts';

/** An event of an application. `body`: a JSON object; `id`: the application's own, "" = none. */
export type NewEvent = { type: string; body: string; id: string };

/** The event as a change of a call. */
export const changeOf = (tenant: string, { type, body, id }: NewEvent) => ({
  tenant,
  type,
  data: body,
  targets: [{ Type: 'event', ID: id, Name: type }],
});

type RecordResult = {
  /** The event's id for each of the events. */
  ids: string[];
  /** The rows for the relay. */
  rows: readonly FreshRow[];
};

/**
 * Records events of an application, each one unless an event was published under its id a short
 * while ago: the id of that event is returned then.
 */
export async function recordEvents(
  tx: Transaction,
  tenant: string,
  events: readonly NewEvent[],
  insert: InsertRows,
): Promise<RecordResult> {
  const entries = events.map((event) => ({
    name: event.id === '' ? '' : nameOf(tx.call, event),
    row: changeRow(tx.call, changeOf(tenant, event)),
  }));
  const named = new Map<string, string>();
  for (const { name, row } of entries) if (name !== '' && !named.has(name)) named.set(name, row.id);
  const published = named.size > 0 ? await takeIds(tx, tenant, named) : named;
  const ids = entries.map(({ name, row }) => published.get(name) ?? row.id);
  const rows = entries.flatMap(({ row }, index) => (ids[index] === row.id ? [row] : []));
  return { ids, rows: await recordRows(tx, rows, insert) };
}

/** The id under which an event is published: two callers may use the same. */
export const nameOf = ({ caller }: Origin, { id }: Pick<NewEvent, 'id'>) => `${caller.id} ${id}`;
