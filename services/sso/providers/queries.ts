import type { Origin } from '@bailiwick/contract';
import { ServiceError } from '@bailiwick/errors';
import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import type { ProviderValues } from './api-record.ts';

const columns = `tenant, id, kind, name, active, issuer, client_id as "clientId", scopes, token_auth_method as "tokenAuthMethod",
  response_mode as "responseMode", dek_id as "dekId", secret_enc as "secretEnc", idp_entity_id as "idpEntityId", idp_sso_url as "idpSsoUrl",
  idp_certificates as "idpCertificates", request_binding as "requestBinding", sp_certificate as "spCertificate",
  allow_idp_initiated as "allowIdpInitiated", jit, default_roles as "defaultRoles", group_mappings as "groupMappings",
  attribute_map as "attributeMap", preset, authorization_url as "authorizationUrl", token_url as "tokenUrl",
  userinfo_url as "userinfoUrl", emails_url as "emailsUrl", assurance_map as "assuranceMap",
  key_id as "keyId", team_id as "teamId", absent_groups as "absentGroups", want_encrypted as "wantEncrypted",
  vouch_id as "vouchId", voucher, saved_by as "savedBy", confirmed_by as "confirmedBy", giver,
  metadata_url as "metadataUrl", metadata_signer as "metadataSigner", metadata_read_at as "metadataReadAt",
  metadata_error as "metadataError", metadata_failures as "metadataFailures", metadata_due_at as "metadataDueAt",
  certificate_changes as "certificateChanges", pending_certificates as "pendingCertificates",
  leaving_certificates as "leavingCertificates", certificates_due_at as "certificatesDueAt", expiry_notice as "expiryNotice",
  groups_stated_at as "groupsStatedAt", last_warning as "lastWarning", last_warning_at as "lastWarningAt", last_login_at as "lastLoginAt", last_error as "lastError", created_at as "createdAt", updated_at as "updatedAt"`;

const one: Statement<ProviderValues, [tenant: string, id: string]> = {
  name: 'sso.provider',
  text: `select ${columns} from provider where tenant = $1 and id = $2`,
};
const page: Statement<ProviderValues, [tenant: string, after: string, limit: number]> = {
  name: 'sso.providers',
  text: `select ${columns} from provider where tenant = $1 and id > $2 order by id limit $3`,
};

export const providerNotFound = () =>
  new ServiceError(
    'not_found',
    '',
    'provider not found: Sso_ListProviders returns the providers of a tenant',
  );

export async function findProvider(
  database: Database,
  tenant: string,
  id: string,
): Promise<ProviderValues | undefined> {
  const rows = await database.query(one, [tenant, id]);
  return rows[0];
}

export type ActiveProvider = { id: string; name: string; kind: string };

const active: Statement<ActiveProvider, [tenant: string]> = {
  name: 'sso.active_providers',
  text: "select id, name, kind from provider where tenant = $1 and active and (tenant <> '' or vouch_id = '') order by id",
};

/** The active providers of a tenant, or the confirmed ones of the platform (""), oldest first. */
export const listActive = (database: Database, tenant: string): Promise<ActiveProvider[]> =>
  database.query(active, [tenant]);

/** One row more than the page holds. */
export function listProviders(
  database: Database,
  tenant: string,
  { limit, after }: PageQuery,
): Promise<ProviderValues[]> {
  return database.query(page, [tenant, after, limit]);
}

/**
 * A domain of the tenant that requires SSO, or will once it is verified; verifying checks for no
 * provider.
 */
export async function findRequiringDomain(
  tx: Transaction,
  tenant: string,
): Promise<string | undefined> {
  const text =
    "select name from domain where tenant = $1 and capture = 'require_sso' order by name limit 1";
  const [row] = await tx.query<{ name: string }>(text, [tenant]);
  return row?.name;
}

// These updates do not wait: if the row is locked by a change or another sign-in, the update is
// skipped.
const unlocked =
  'select id from provider where tenant = $1 and id = $2 for no key update skip locked';

const loginNote: Statement<never, [tenant: string, id: string]> = {
  name: 'sso.note_login',
  text: `update provider set last_login_at = now(), last_error = '' where tenant = $1 and id = (${unlocked})`,
};

/**
 * Stores the time of the last sign-in, unless the row is locked. UpdatedAt stays, because the
 * provider does not change.
 */
export async function setLastLogin(
  database: Database,
  call: Origin,
  tenant: string,
  id: string,
): Promise<void> {
  await database.write(call, loginNote, [tenant, id]);
}

const failureNote: Statement<never, [tenant: string, id: string, detail: string]> = {
  name: 'sso.note_failure',
  text: `update provider set last_error = $3 where tenant = $1 and id = (${unlocked})`,
};

/** Stores why a sign-in failed, unless the row is locked. */
export async function setLastError(
  database: Database,
  call: Origin,
  tenant: string,
  id: string,
  detail: string,
): Promise<void> {
  await database.write(call, failureNote, [tenant, id, detail]);
}

const statedNote: Statement<never, [tenant: string, id: string]> = {
  name: 'sso.note_stated_groups',
  text: `update provider set groups_stated_at = now() where tenant = $1 and id = (${unlocked})
    and (groups_stated_at is null or groups_stated_at < now() - interval '1 day')`,
};

/** Stores that the provider states its users' groups, once a day, unless the row is locked. */
export async function setGroupsStated(
  database: Database,
  call: Origin,
  tenant: string,
  id: string,
): Promise<void> {
  await database.write(call, statedNote, [tenant, id]);
}

const warningNote: Statement<never, [tenant: string, id: string, warning: string]> = {
  name: 'sso.note_warning',
  text: `update provider set last_warning = $3, last_warning_at = now() where tenant = $1 and id = (${unlocked})`,
};

/** Stores a warning about a sign-in that succeeded, unless the row is locked. */
export async function setLastWarning(
  database: Database,
  call: Origin,
  tenant: string,
  id: string,
  warning: string,
): Promise<void> {
  await database.write(call, warningNote, [tenant, id, warning]);
}
