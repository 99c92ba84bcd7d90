import type { Database, Statement } from '@bailiwick/store';

export type Health = {
  failingSince: Date | string | null;
  pausedUntil: Date | string | null;
};

const health: Statement<Health, [tenant: string, endpoint: string]> = {
  name: 'notifications.portal_health',
  text: `select failing_since as "failingSince", case when paused_until > now() then paused_until end as "pausedUntil"
         from endpoint_health where tenant = $1 and endpoint = $2`,
};

/** The health of an endpoint; undefined if it is healthy. */
export async function findHealth(
  database: Database,
  tenant: string,
  endpoint: string,
): Promise<Health | undefined> {
  const [row] = await database.query(health, [tenant, endpoint]);
  return row;
}

export type Link = { abilities: string[]; expiresAt: Date | string };

const link: Statement<Link, [tenant: string, id: string]> = {
  name: 'notifications.portal_link',
  text: 'select abilities, expires_at as "expiresAt" from webhook_portal where tenant = $1 and id = $2',
};

export async function findLink(
  database: Database,
  tenant: string,
  id: string,
): Promise<Link | undefined> {
  const [row] = await database.query(link, [tenant, id]);
  return row;
}
