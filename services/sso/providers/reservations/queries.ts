import type { Origin } from '@bailiwick/contract';
import type { Database, Run, Statement } from '@bailiwick/store';

const young: Statement<{ count: number }, [tenant: string]> = {
  name: 'sso.young_provider_reservations',
  text: `select count(*)::int as count from provider_reservation
         where tenant = $1 and created_at > now() - interval '1 day'`,
};

/** The number of a tenant's reservations that are younger than a day. */
export async function countYoung(run: Run, tenant: string): Promise<number> {
  const [row] = await run(young, [tenant]);
  return row?.count ?? 0;
}

const insertion: Statement<never, [tenant: string, id: string, others: number]> = {
  name: 'sso.reserve_provider',
  text: `with outdated as (
           delete from provider_reservation r where r.tenant = $1 and r.id in (
             select o.id from provider_reservation o where o.tenant = $1 order by o.created_at desc, o.id desc offset $3))
         insert into provider_reservation (tenant, id, created_at) values ($1, $2, now())`,
};

/** Adds a reservation, and keeps the last `others` ones of the tenant. */
export async function insertReservation(
  run: Run,
  tenant: string,
  id: string,
  others: number,
): Promise<void> {
  await run(insertion, [tenant, id, others]);
}

const byId: Statement<{ id: string }, [tenant: string, id: string]> = {
  name: 'sso.provider_reservation',
  text: 'select id from provider_reservation where tenant = $1 and id = $2',
};

export async function isReserved(database: Database, tenant: string, id: string): Promise<boolean> {
  return (await database.query(byId, [tenant, id])).length > 0;
}

const removal: Statement<{ id: string }, [tenant: string, id: string]> = {
  name: 'sso.take_provider_reservation',
  text: 'delete from provider_reservation where tenant = $1 and id = $2 returning id',
};

/** Ends a reservation. Returns whether it existed: only one save can take it. */
export async function takeReservation(run: Run, tenant: string, id: string): Promise<boolean> {
  return (await run(removal, [tenant, id])).length > 0;
}

const sweep: Statement<never, []> = {
  name: 'sso.sweep_provider_reservations',
  text: "delete from provider_reservation where created_at < now() - interval '30 days'",
  across: 'the sweeper covers all tenants',
};

export async function sweepReservations(database: Database, call: Origin): Promise<void> {
  await database.write(call, sweep, []);
}
