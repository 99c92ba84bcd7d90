import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import { voidCodes } from '../../sessions/queries.ts';
import type { ProvidersIdentity } from '../queries.ts';
import type { LinkTrust } from '../trust.ts';

export type IdentityRow = ProvidersIdentity & {
  userId: string;
  email: string;
  createdAt: string;
  lastUsedAt: string;
} & LinkTrust;

const ofUser: Statement<IdentityRow, [userId: string, after: string, limit: number]> = {
  name: 'identity.identities_of_user',
  text: `select tenant, provider, issuer, subject, user_id as "userId", email, created_at as "createdAt", last_used_at as "lastUsedAt",
           trust, lapsed
         from identity_link where user_id = $1 and provider > $2 order by provider limit $3`,
  across: "lists the user's own identities",
};

/** A page of a user's identities in order of their providers, plus one row if there are more. */
export function listIdentities(
  database: Database,
  userId: string,
  { after, limit }: PageQuery,
): Promise<IdentityRow[]> {
  return database.query(ofUser, [userId, after, limit]);
}

export type Opening = { authMethod: string; provider: string } & Partial<
  LinkTrust & { linkedAt: string }
>;

const opening: Statement<Opening, [sessionId: string, userId: string]> = {
  name: 'identity.opening_of_session',
  text: `select s.auth_method as "authMethod", s.provider, l.trust, l.lapsed, l.created_at as "linkedAt"
     from session s left join identity_link l on l.tenant = s.sso_tenant and l.provider = s.provider and l.user_id = s.user_id
     where s.id = $1 and s.user_id = $2`,
  across: 'the session names the tenant of the link that opened it',
};

/** How a user's session was opened, with the link if a provider opened it. */
export async function findOpening(
  tx: Transaction,
  userId: string,
  sessionId: string,
): Promise<Opening | undefined> {
  const [row] = await tx.query(opening, [sessionId, userId]);
  return row;
}

const ownIdentity: Statement<{ tenant: string }, [userId: string, provider: string]> = {
  name: 'identity.remove_identity',
  text: 'delete from identity_link where user_id = $1 and provider = $2 returning tenant',
  across: "a user's own identity; returns the tenant of its provider",
};

/**
 * Deletes a user's identity at a provider, with its codes and sessions. Returns the tenant of the
 * link, or undefined if there was none.
 */
export async function removeIdentity(
  tx: Transaction,
  userId: string,
  provider: string,
): Promise<string | undefined> {
  const [row] = await tx.query(ownIdentity, [userId, provider]);
  if (!row) return undefined;
  await tx.query('delete from sign_in_code where user_id = $1 and provider = $2', [
    userId,
    provider,
  ]);
  await tx.query('delete from session where user_id = $1 and provider = $2', [userId, provider]);
  return row.tenant;
}

const allIdentities: Statement<never, [userId: string]> = {
  name: 'identity.remove_identities',
  text: 'delete from identity_link where user_id = $1',
  across: 'deletes the identities of a deleted user in all tenants',
};

/** Deletes all links and codes of a user, but not its sessions. */
export async function removeIdentities(tx: Transaction, userId: string): Promise<void> {
  await tx.query(allIdentities, [userId]);
  await voidCodes(tx, userId);
}

/** Deletes the links to the platform's providers that were made while the user had no password. */
export async function dropPasswordlessLinks(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    "delete from identity_link where tenant = '' and user_id = $1 and password_mark is null",
    [userId],
  );
}

/** Deletes the links of a user to the platform's providers. */
export async function dropPlatformLinks(tx: Transaction, userId: string): Promise<void> {
  await tx.query("delete from identity_link where tenant = '' and user_id = $1", [userId]);
}

/**
 * Deletes all links to a provider of a tenant, with their codes and sessions; "" = to all its
 * providers.
 */
export async function forgetProvider(
  tx: Transaction,
  tenant: string,
  provider: string,
): Promise<void> {
  // The limits of a provider whose subjects change stay.
  if (provider === '')
    await tx.query('delete from unconfirmed_provider where tenant = $1', [tenant]);
  await tx.query("delete from identity_link where tenant = $1 and (provider = $2 or $2 = '')", [
    tenant,
    provider,
  ]);
  await tx.query("delete from sign_in_code where sso_tenant = $1 and (provider = $2 or $2 = '')", [
    tenant,
    provider,
  ]);
  await tx.query(
    "delete from session where sso_tenant = $1 and sso_tenant <> '' and (provider = $2 or $2 = '')",
    [tenant, provider],
  );
}

/**
 * Deletes at most `limit` links to a provider of the platform, with the codes and sessions of their
 * users. Returns their number. Sessions of the platform's providers name no tenant.
 */
export async function forgetPlatformProvider(
  tx: Transaction,
  provider: string,
  limit: number,
): Promise<number> {
  const rows = await tx.query<{ user_id: string }>(
    `delete from identity_link where tenant = '' and provider = $1 and ctid = any (
       array (select ctid from identity_link where tenant = '' and provider = $1 limit $2)) returning user_id`,
    [provider, limit],
  );
  const users = rows.map(({ user_id: id }) => id);
  await tx.query('delete from pending_link where provider = $1', [provider]);
  await tx.query('delete from sign_in_code where user_id = any ($1) and provider = $2', [
    users,
    provider,
  ]);
  await tx.query('delete from session where user_id = any ($1) and provider = $2', [
    users,
    provider,
  ]);
  return users.length;
}
