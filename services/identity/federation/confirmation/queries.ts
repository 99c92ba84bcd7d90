import type { Transaction } from '@bailiwick/store';

// The unconfirmed changes of providers. Rows name a tenant, or "" for a provider of the platform.

type Place = { tenant: string; provider: string };

export async function addUnconfirmed(
  tx: Transaction,
  { tenant, provider, id, voucher }: Place & { id: string; voucher: string },
): Promise<void> {
  await tx.query(
    'insert into unconfirmed_provider (tenant, provider, id, voucher) values ($1, $2, $3, $4) on conflict do nothing',
    [tenant, provider, id, voucher],
  );
}

/** The IDs of a provider's unconfirmed changes, locked against being settled. */
export async function holdUnconfirmed(
  tx: Transaction,
  { tenant, provider }: Place,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'select id from unconfirmed_provider where tenant = $1 and provider = $2 order by id for share',
    [tenant, provider],
  );
  return rows.map(({ id }) => id);
}

/** Removes changes, and with `others` those that a save left behind which was interrupted. */
export async function removeUnconfirmed(
  tx: Transaction,
  { tenant, provider }: Place,
  ids: readonly string[],
  { others }: { others: boolean },
): Promise<void> {
  await tx.query(
    `delete from unconfirmed_provider where tenant = $1 and provider = $2
       and (id = any ($3) or $4 and created_at < now() - interval '10 minutes')`,
    [tenant, provider, ids, others],
  );
}

/** Ends the links, codes and sessions of an unconfirmed provider. */
export async function endUnconfirmed(tx: Transaction, { tenant, provider }: Place): Promise<void> {
  await tx.query('delete from identity_link where tenant = $1 and provider = $2 and unconfirmed', [
    tenant,
    provider,
  ]);
  await tx.query(
    'delete from sign_in_code where sso_tenant = $1 and provider = $2 and unconfirmed',
    [tenant, provider],
  );
  await tx.query('delete from session where sso_tenant = $1 and provider = $2 and unconfirmed', [
    tenant,
    provider,
  ]);
}

/** Makes people confirm their links to a provider again. */
export async function loosenLinks(tx: Transaction, { tenant, provider }: Place): Promise<void> {
  await tx.query(
    "update identity_link set trust = 'address' where tenant = $1 and provider = $2 and trust = 'confirmed'",
    [tenant, provider],
  );
}
