import type { Origin } from '@bailiwick/contract';
import type { Database, Statement } from '@bailiwick/store';

const handled: Statement<unknown, [tenant: string, event: string]> = {
  name: 'sso.handled_join',
  text: 'select 1 as one from handled_join where tenant = $1 and event = $2',
};

export async function isHandled(
  database: Database,
  tenant: string,
  event: string,
): Promise<boolean> {
  return (await database.query(handled, [tenant, event])).length > 0;
}

const keep: Statement<never, [tenant: string, event: string]> = {
  name: 'sso.keep_handled_join',
  text: 'insert into handled_join (tenant, event, created_at) values ($1, $2, now()) on conflict (tenant, event) do nothing',
};

export async function keepHandled(
  database: Database,
  call: Origin,
  tenant: string,
  event: string,
): Promise<void> {
  await database.write(call, keep, [tenant, event]);
}

// The event stream keeps events for a week; older ones are never redelivered.
const sweep: Statement<never, []> = {
  name: 'sso.sweep_handled_joins',
  text: "delete from handled_join where created_at < now() - interval '9 days'",
  across: 'the sweeper covers all tenants',
};

export async function sweepHandled(database: Database, call: Origin): Promise<void> {
  await database.write(call, sweep, []);
}
