import type { Origin } from '@bailiwick/contract';
import { limitReached } from '@bailiwick/errors';
import type { Database, Run, Statement, Transaction } from '@bailiwick/store';
import { lockProviders } from '../../requirement/lock.ts';

/** How many reservations a tenant has at most. */
const most = 20;

const young: Statement<{ count: number }, [tenant: string]> = {
  name: 'sso.young_provider_reservations',
  text: `select count(*)::int as count from provider_reservation
         where tenant = $1 and created_at > now() - interval '1 day'`,
};

const added: Statement<never, [tenant: string, id: string, others: number]> = {
  name: 'sso.reserve_provider',
  text: `with outdated as (
           delete from provider_reservation r where r.tenant = $1 and r.id in (
             select o.id from provider_reservation o where o.tenant = $1 order by o.created_at desc, o.id desc offset $3))
         insert into provider_reservation (tenant, id, created_at) values ($1, $2, now())`,
};

/**
 * Adds a reservation. The oldest ones of the tenant give way, but none that is younger than a day:
 * an administrator could otherwise end those of all others. @throws failed_precondition if none can
 */
export async function addReservation(tx: Transaction, tenant: string, id: string): Promise<void> {
  await lockProviders(tx, tenant);
  const [row] = await tx.query(young, [tenant]);
  if ((row?.count ?? 0) >= most)
    throw limitReached(
      `${tenant === '' ? 'the platform' : 'a tenant'} has at most ${most} reservations that are younger than a day`,
      most,
    );
  await tx.query(added, [tenant, id, most - 1]);
}

const one: Statement<{ id: string }, [tenant: string, id: string]> = {
  name: 'sso.provider_reservation',
  text: 'select id from provider_reservation where tenant = $1 and id = $2',
};

export async function isReserved(database: Database, tenant: string, id: string): Promise<boolean> {
  return (await database.query(one, [tenant, id])).length > 0;
}

const taken: Statement<{ id: string }, [tenant: string, id: string]> = {
  name: 'sso.take_provider_reservation',
  text: 'delete from provider_reservation where tenant = $1 and id = $2 returning id',
};

/** Ends a reservation. Returns whether it existed: only one save can take it. */
export async function takeReservation(run: Run, tenant: string, id: string): Promise<boolean> {
  return (await run(taken, [tenant, id])).length > 0;
}

const sweep: Statement<never, []> = {
  name: 'sso.sweep_provider_reservations',
  text: "delete from provider_reservation where created_at < now() - interval '30 days'",
  across: 'the sweeper covers all tenants',
};

export async function sweepReservations(database: Database, call: Origin): Promise<void> {
  await database.write(call, sweep, []);
}
