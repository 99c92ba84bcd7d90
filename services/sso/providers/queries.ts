import { ServiceError } from '@bailiwick/shared/errors.ts';
import {
  type Database,
  type EntityManager,
  execute,
  type Statement,
} from '@bailiwick/shared/orm.ts';
import type { PageQuery } from '@bailiwick/shared/page.ts';
import type { ProviderValues } from './record.ts';

const columns = `tenant, id, kind, name, active, issuer, client_id as "clientId", scopes, token_auth_method as "tokenAuthMethod",
  response_mode as "responseMode", dek_id as "dekId", secret_enc as "secretEnc", idp_entity_id as "idpEntityId", idp_sso_url as "idpSsoUrl",
  idp_certificates as "idpCertificates", request_binding as "requestBinding", sp_certificate as "spCertificate",
  allow_idp_initiated as "allowIdpInitiated", jit, default_roles as "defaultRoles", group_mappings as "groupMappings",
  attribute_map as "attributeMap", last_login_at as "lastLoginAt", last_error as "lastError", created_at as "createdAt", updated_at as "updatedAt"`;

const one: Statement = {
  name: 'sso.provider',
  text: `select ${columns} from provider where tenant = $1 and id = $2`,
};
const page: Statement = {
  name: 'sso.providers',
  text: `select ${columns} from provider where tenant = $1 and id > $2 order by id limit $3`,
};

export const providerNotFound = () =>
  new ServiceError(
    'not_found',
    'NOT_FOUND',
    'provider not found: Sso_ListProviders returns the providers of a tenant',
  );

export async function findProvider(
  database: Database,
  tenant: string,
  id: string,
): Promise<ProviderValues | undefined> {
  const rows = await database.query<ProviderValues>(one, [tenant, id]);
  return rows[0];
}

/** One more than the page holds. */
export function listProviders(
  database: Database,
  tenant: string,
  { limit, after }: PageQuery,
): Promise<ProviderValues[]> {
  return database.query<ProviderValues>(page, [tenant, after, limit]);
}

/** A domain of the tenant whose people get in by single sign-on alone, or will as soon as it is verified, which asks for no provider. */
export async function findRequiringDomain(
  em: EntityManager,
  tenant: string,
): Promise<string | undefined> {
  const text =
    "select name from domain where tenant = $1 and capture = 'require_sso' order by name limit 1";
  const [row] = await execute<{ name: string }>(em, text, [tenant]);
  return row?.name;
}

// Notes do not wait: where the provider is being changed or another sign-in is noted, this note is left out.
const unlocked =
  'select id from provider where tenant = $1 and id = $2 for no key update skip locked';

const loginNote: Statement = {
  name: 'sso.note_login',
  text: `update provider set last_login_at = now(), last_error = '' where tenant = $1 and id = (${unlocked})`,
};

/** Notes a sign-in, if that is possible at once. That is no change of the provider: UpdatedAt stays. */
export async function noteLogin(database: Database, tenant: string, id: string): Promise<void> {
  await database.query(loginNote, [tenant, id]);
}

const failureNote: Statement = {
  name: 'sso.note_failure',
  text: `update provider set last_error = $3 where tenant = $1 and id = (${unlocked})`,
};

/** Notes why a sign-in failed, if that is possible at once. */
export async function noteFailure(
  database: Database,
  tenant: string,
  id: string,
  detail: string,
): Promise<void> {
  await database.query(failureNote, [tenant, id, detail]);
}
