import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';

/** How long an application's id deduplicates an event. */
export const nameSeconds = 600;

// The key of the table decides between two calls. The order keeps two of them from a deadlock.
const take: Statement<
  { id: string },
  [tenant: string, ids: string[], events: string[], seconds: number]
> = {
  name: 'notifications.take_published',
  text: `insert into published_event as p (tenant, id, event, published_at)
         select $1, id, event, now() from unnest($2::text[], $3::text[]) as named (id, event) order by id
         on conflict (tenant, id) do update set event = excluded.event, published_at = excluded.published_at
         where p.published_at <= now() - make_interval(secs => $4) returning id`,
};

const publishedUnder: Statement<{ id: string; event: string }, [tenant: string, ids: string[]]> = {
  name: 'notifications.published_under',
  text: 'select id, event from published_event where tenant = $1 and id = any ($2)',
};

/**
 * Takes the ids of new events, except those under which an event was published a short while ago.
 * Returns the event of each id.
 */
export async function takeIds(
  tx: Transaction,
  tenant: string,
  eventOf: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const ids = [...eventOf.keys()];
  const taken = await tx.query(take, [tenant, ids, [...eventOf.values()], nameSeconds]);
  const fresh = new Set(taken.map(({ id }) => id));
  const known = ids.filter((id) => !fresh.has(id));
  if (known.length === 0) return new Map(eventOf);
  // The transaction has locked them, so that the sweeper leaves them.
  const earlier = await tx.query(publishedUnder, [tenant, known]);
  return new Map([...eventOf, ...earlier.map(({ id, event }) => [id, event] as const)]);
}

const forget: Statement<never, [seconds: number]> = {
  name: 'notifications.forget_published',
  text: 'delete from published_event where published_at < now() - make_interval(secs => $1)',
  across: 'the sweeper covers all tenants',
};

/** Deletes the ids of published events that no longer deduplicate. */
export async function forgetPublished(
  database: Database,
  call: Origin,
  seconds: number,
): Promise<void> {
  await database.write(call, forget, [seconds]);
}
