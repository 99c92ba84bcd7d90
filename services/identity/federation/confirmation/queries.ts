import { type EntityManager, execute } from '@bailiwick/store';

// The unconfirmed changes of providers. Rows name a tenant, or "" for a provider of the platform.

type Place = { tenant: string; provider: string };

export async function addUnconfirmed(
  em: EntityManager,
  { tenant, provider, id, voucher }: Place & { id: string; voucher: string },
): Promise<void> {
  await execute(
    em,
    'insert into unconfirmed_provider (tenant, provider, id, voucher) values ($1, $2, $3, $4) on conflict do nothing',
    [tenant, provider, id, voucher],
  );
}

/** The IDs of a provider's unconfirmed changes, locked against being settled. */
export async function holdUnconfirmed(
  em: EntityManager,
  { tenant, provider }: Place,
): Promise<string[]> {
  const rows = await execute<{ id: string }>(
    em,
    'select id from unconfirmed_provider where tenant = $1 and provider = $2 order by id for share',
    [tenant, provider],
  );
  return rows.map(({ id }) => id);
}

/** Removes changes, and with `others` those that a save left behind which was interrupted. */
export async function removeUnconfirmed(
  em: EntityManager,
  { tenant, provider }: Place,
  ids: readonly string[],
  { others }: { others: boolean },
): Promise<void> {
  await execute(
    em,
    `delete from unconfirmed_provider where tenant = $1 and provider = $2
       and (id = any ($3) or $4 and created_at < now() - interval '10 minutes')`,
    [tenant, provider, ids, others],
  );
}

/** Ends what a provider opened while it was not confirmed. */
export async function endUnconfirmed(
  em: EntityManager,
  { tenant, provider }: Place,
): Promise<void> {
  await execute(
    em,
    'delete from identity_link where tenant = $1 and provider = $2 and unconfirmed',
    [tenant, provider],
  );
  await execute(
    em,
    'delete from sign_in_code where sso_tenant = $1 and provider = $2 and unconfirmed',
    [tenant, provider],
  );
  await execute(em, 'delete from session where sso_tenant = $1 and provider = $2 and unconfirmed', [
    tenant,
    provider,
  ]);
}

/** Makes people confirm their links to a provider again. */
export async function loosenLinks(em: EntityManager, { tenant, provider }: Place): Promise<void> {
  await execute(
    em,
    "update identity_link set trust = 'address' where tenant = $1 and provider = $2 and trust = 'confirmed'",
    [tenant, provider],
  );
}
