import type { Database, Statement } from '@bailiwick/store';

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
