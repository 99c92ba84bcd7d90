import type { Origin } from '@bailiwick/contract';
import type { Database, Statement } from '@bailiwick/store';

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
