import type { Origin } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Reader, Statement, Transaction } from '@bailiwick/store';
import type { AppRow } from './entities.ts';

const columns = `tenant, id, name, kind, active, redirect_uris as "redirectUris", post_logout_redirect_uris as "postLogoutRedirectUris",
  backchannel_logout_uri as "backchannelLogoutUri", scopes, resources, token_lifetime_seconds as "tokenLifetimeSeconds",
  refresh_reuse_seconds as "refreshReuseSeconds", require_consent as "requireConsent", require_par as "requirePar", dpop, token_endpoint_auth_method as "tokenEndpointAuthMethod",
  jwks, secret_hash as "secretHash", secret_created_at as "secretCreatedAt", previous_secret_hash as "previousSecretHash",
  previous_secret_until as "previousSecretUntil", logo, created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt",
  locked_at as "lockedAt"`;

const byClient: Statement<AppRow, [clientId: string]> = {
  name: 'sso.app_of_client',
  text: `select ${columns} from app where id = $1`,
  across: 'finds the app and its tenant from a client ID, which is unique',
};

/** The app with a client ID, of any tenant: a client names no tenant. */
export async function findApp(database: Database, clientId: string): Promise<AppRow | undefined> {
  const [row] = await database.query(byClient, [clientId]);
  return row;
}

const one: Statement<AppRow, [tenant: string, id: string]> = {
  name: 'sso.app',
  text: `select ${columns} from app where tenant = $1 and id = $2`,
};

/** An app of a tenant, or of the platform (""). @throws not_found */
export async function getApp(database: Database, tenant: string, id: string): Promise<AppRow> {
  const [row] = await database.query(one, [tenant, id]);
  if (!row) throw appNotFound();
  return row;
}

export const appNotFound = () => notFound('app');

const page: Statement<AppRow, [tenant: string, after: string, limit: number]> = {
  name: 'sso.apps',
  text: `select ${columns} from app where tenant = $1 and id > $2 order by id limit $3`,
};

/** A page of apps, plus one row if there are more. */
export function listApps(
  reader: Reader,
  tenant: string,
  { limit, after }: PageQuery,
): Promise<AppRow[]> {
  return reader.query(page, [tenant, after, limit]);
}

type Logo = { tenant: string; app: string; type: string; content: Uint8Array };

export async function storeLogo(tx: Transaction, logo: Logo): Promise<void> {
  await tx.query(
    `insert into app_logo (tenant, app, type, content) values ($1, $2, $3, $4)
     on conflict (tenant, app) do update set type = excluded.type, content = excluded.content`,
    [logo.tenant, logo.app, logo.type, logo.content],
  );
}

export async function deleteLogo(tx: Transaction, tenant: string, app: string): Promise<void> {
  await tx.query('delete from app_logo where tenant = $1 and app = $2', [tenant, app]);
}

const logoOf: Statement<Pick<Logo, 'type' | 'content'>, [tenant: string, app: string]> = {
  name: 'sso.app_logo',
  text: 'select type, content from app_logo where tenant = $1 and app = $2',
};

export async function findLogo(
  database: Database,
  tenant: string,
  app: string,
): Promise<Pick<Logo, 'type' | 'content'> | undefined> {
  return (await database.query(logoOf, [tenant, app]))[0];
}

const erase: Statement<never, []> = {
  name: 'sso.erase_previous_secrets',
  text: 'update app set previous_secret_hash = null, previous_secret_until = null where previous_secret_until <= now()',
  across: 'the sweeper covers all tenants',
};

/** Erases previous secrets after their time. They are refused then, even before they are erased. */
export async function erasePreviousSecrets(database: Database, call: Origin): Promise<void> {
  await database.write(call, erase, []);
}
