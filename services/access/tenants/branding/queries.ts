import type { Database, Run, Statement } from '@bailiwick/store';
import type { TenantRow } from '../entities.ts';

const putLogo: Statement<never, [tenant: string, type: string, content: Uint8Array]> = {
  name: 'access.store_logo',
  text: `insert into tenant_logo (tenant, type, content) values ($1, $2, $3)
         on conflict (tenant) do update set type = excluded.type, content = excluded.content`,
};

/** The media type and the bytes of an image. */
export type Logo = { type: string; content: Uint8Array };

export async function storeLogo(run: Run, tenant: string, logo: Logo): Promise<void> {
  await run(putLogo, [tenant, logo.type, logo.content]);
}

const dropLogo: Statement<never, [tenant: string]> = {
  name: 'access.delete_logo',
  text: 'delete from tenant_logo where tenant = $1',
};

export async function deleteLogo(run: Run, tenant: string): Promise<void> {
  await run(dropLogo, [tenant]);
}

const activeLogo: Statement<Logo & { version: string }, [tenant: string, knownVersion: string]> = {
  name: 'access.logo',
  text: `select l.type, v.version, case when v.version = $2 and $2 <> '' then '' else l.content end as content
         from tenant_logo l join tenant t on t.id = l.tenant and t.status = 'active',
              lateral (select coalesce(t.branding #>> '{logo,hash}', '') as version) v
         where l.tenant = $1`,
};

/** The logo of an active tenant. Its content is empty if the caller knows the version. */
export async function findLogo(
  run: Run,
  tenant: string,
  knownVersion: string,
): Promise<(Logo & { version: string }) | undefined> {
  const [row] = await run(activeLogo, [tenant, knownVersion]);
  return row;
}

const activeBranding: Statement<Pick<TenantRow, 'id' | 'branding'>, [tenant: string]> = {
  name: 'access.branding',
  text: `select t.id, t.branding from tenant t where (t.id = $1 or t.slug = $1) and t.status = 'active'`,
};

/** The branding of an active tenant, by id or slug: an id contains "_", and a slug does not. */
export async function findBranding(
  database: Database,
  tenant: string,
): Promise<Pick<TenantRow, 'id' | 'branding'> | undefined> {
  const [row] = await database.query(activeBranding, [tenant]);
  return row;
}
