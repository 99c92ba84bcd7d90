import type { Transaction } from '@bailiwick/store';

/** Lets a tenant's owners use passwords until this time; a past time ends the lift at once. */
export async function setLift(tx: Transaction, tenant: string, until: Date): Promise<void> {
  await tx.query(
    'insert into sso_lift (tenant, until) values ($1, $2) on conflict (tenant) do update set until = excluded.until',
    [tenant, until],
  );
}
