import type { Origin } from '@bailiwick/contract';
import type { PageQuery } from '@bailiwick/pipeline';
import { type Database, msUntil, type Statement, type Transaction } from '@bailiwick/store';
import type { PortalColumns } from './entities.ts';

const ofEndpoint: Statement<
  PortalColumns,
  [tenant: string, endpoint: string, after: string, limit: number]
> = {
  name: 'notifications.portals_of_endpoint',
  text: `select tenant, id, endpoint, name, abilities, expires_at as "expiresAt", created_by as "createdBy", created_at as "createdAt", last_opened_at as "lastOpenedAt"
         from webhook_portal where tenant = $1 and endpoint = $2 and expires_at > now() and id > $3 order by id limit $4`,
};

/** A page of the links of an endpoint that have not expired, plus one row if there are more. */
export function listPortals(
  database: Database,
  tenant: string,
  endpoint: string,
  { after, limit }: PageQuery,
): Promise<PortalColumns[]> {
  return database.query(ofEndpoint, [tenant, endpoint, after, limit]);
}

/** The name of an endpoint, which stays locked until the transaction ends; undefined without it. */
export async function lockEndpointName(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(
    'select name from webhook_endpoint where tenant = $1 and id = $2 for no key update',
    [tenant, endpoint],
  );
  return row?.name;
}

export async function countPortals(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from webhook_portal where tenant = $1 and endpoint = $2 and expires_at > now()',
    [tenant, endpoint],
  );
  return row?.count ?? 0;
}

/** The link's fields in the audit. */
export type DeletedPortal = { id: string; endpoint: string; name: string };

export async function deletePortal(
  tx: Transaction,
  tenant: string,
  id: string,
): Promise<DeletedPortal | undefined> {
  const [row] = await tx.query<DeletedPortal>(
    'delete from webhook_portal where tenant = $1 and id = $2 returning id, endpoint, name',
    [tenant, id],
  );
  return row;
}

/** Deletes the links of an endpoint that is deleted. */
export async function deletePortalsOf(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await tx.query('delete from webhook_portal where tenant = $1 and endpoint = $2', [
    tenant,
    endpoint,
  ]);
}

/** A link that has not expired, and whose endpoint exists. */
export type LivePortal = {
  tenant: string;
  id: string;
  endpoint: string;
  name: string;
  abilities: string[];
  creatorType: string;
  createdBy: string;
  /** When the session expires, or the link where it is found by its own token. */
  expiresAt: Date | string;
  /** The time until that, or until the link expires. */
  expiresInMs: number;
};

// The version before this one deletes an endpoint without its links.
const live = (expiry: string) => `
  select p.tenant, p.id, p.endpoint, p.name, p.abilities, p.creator_type as "creatorType", p.created_by as "createdBy", p.${expiry} as "expiresAt",
    ${msUntil(`least(p.expires_at, p.${expiry})`)} as "expiresInMs"
  from webhook_portal p join webhook_endpoint e on e.tenant = p.tenant and e.id = p.endpoint where p.expires_at > now()`;

const byToken: Statement<LivePortal, [hash: Uint8Array]> = {
  name: 'notifications.portal_by_token',
  text: `${live('expires_at')} and p.token_hash = $1`,
  across: 'finds the tenant of a portal link from its token',
};
const bySession: Statement<LivePortal, [hash: Uint8Array]> = {
  name: 'notifications.portal_by_session',
  text: `${live('session_expires_at')} and p.session_hash = $1 and p.session_expires_at > now()`,
  across: 'finds the tenant of a portal session from its token',
};

const byId: Statement<LivePortal, [tenant: string, id: string]> = {
  name: 'notifications.portal_by_id',
  text: `${live('session_expires_at')} and p.tenant = $1 and p.id = $2 and p.session_expires_at > now()`,
};

/** The link of an id, if it has a session. */
export async function findById(
  database: Database,
  tenant: string,
  id: string,
): Promise<LivePortal | undefined> {
  const [row] = await database.query(byId, [tenant, id]);
  return row;
}

export async function findByToken(
  database: Database,
  hash: Uint8Array,
): Promise<LivePortal | undefined> {
  const [row] = await database.query(byToken, [hash]);
  return row;
}

export async function findBySession(
  database: Database,
  hash: Uint8Array,
): Promise<LivePortal | undefined> {
  const [row] = await database.query(bySession, [hash]);
  return row;
}

/** Begins the session of a link, in the place of an earlier one. Undefined if the link has ended. */
export async function beginSession(
  tx: Transaction,
  { tenant, id }: { tenant: string; id: string },
  hash: Uint8Array,
  minutes: number,
): Promise<Date | string | undefined> {
  const [row] = await tx.query<{ expiresAt: Date | string }>(
    `update webhook_portal set session_hash = $3, session_expires_at = least(now() + make_interval(mins => $4), expires_at), last_opened_at = now()
     where tenant = $1 and id = $2 and expires_at > now() returning session_expires_at as "expiresAt"`,
    [tenant, id, hash, minutes],
  );
  return row?.expiresAt;
}

export async function endSession(tx: Transaction, tenant: string, id: string): Promise<void> {
  await tx.query(
    'update webhook_portal set session_hash = null, session_expires_at = null where tenant = $1 and id = $2',
    [tenant, id],
  );
}

const expired: Statement<never, []> = {
  name: 'notifications.delete_expired_portals',
  text: 'delete from webhook_portal where expires_at <= now()',
  across: 'the sweeper covers all tenants',
};

export async function deleteExpiredPortals(database: Database, call: Origin): Promise<void> {
  await database.write(call, expired, []);
}
