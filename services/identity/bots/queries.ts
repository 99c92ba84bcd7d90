import type { PageQuery, Search } from '@bailiwick/pipeline';
import {
  createListing,
  type Database,
  type FoundIds,
  lastPartKey,
  type Reader,
  type Statement,
  tenantKey,
  textKey,
} from '@bailiwick/store';
import { type BotRow, botTrigrams } from './entities.ts';

const columns = `b.tenant, b.id, b.name, b.description, b.active, b.metadata, b.last_used_at as "lastUsedAt", b.created_by as "createdBy",
  b.created_at as "createdAt", b.updated_at as "updatedAt"`;

const byIds: Statement<BotRow, [tenant: string, ids: readonly string[]]> = {
  name: 'identity.bots_by_ids',
  text: `select ${columns} from bot b where b.tenant = $1 and b.id = any($2) order by b.id`,
};

/** The bots of a tenant among `ids`, in order of id. */
export function findBots(
  reader: Reader,
  tenant: string,
  ids: readonly string[],
): Promise<BotRow[]> {
  return reader.query(byIds, [tenant, ids]);
}

// For the platform, which grants roles to bots of any tenant.
const byIdsAnywhere: Statement<BotRow, [ids: readonly string[]]> = {
  name: 'identity.bots_anywhere',
  text: `select ${columns} from bot b where b.id = any($1) order by b.id`,
  across: 'access checks bots of any tenant, for grants on the platform',
};

/** The bots among `ids`, of any tenant. */
export function findBotsAnywhere(database: Database, ids: readonly string[]): Promise<BotRow[]> {
  return database.query(byIdsAnywhere, [ids]);
}

export async function findBot(
  database: Database,
  tenant: string,
  id: string,
): Promise<BotRow | undefined> {
  const [row] = await findBots(database, tenant, [id]);
  return row;
}

const ofTenant: Statement<BotRow, [tenant: string, after: string, limit: number]> = {
  name: 'identity.bots_of_tenant',
  text: `select ${columns} from bot b where b.tenant = $1 and b.id > $2 order by b.id limit $3`,
};

/** A page of a tenant's bots, plus one row if there are more. */
export function listBots(
  reader: Reader,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<BotRow[]> {
  return reader.query(ofTenant, [tenant, after, limit]);
}

// A tenant has a maximum number of bots, and an index has the keys that can expire.
const counts: Statement<BotNumbers, [tenant: string, limit: number]> = {
  name: 'identity.count_bots',
  text: `select
           (select count(*)::int from bot where tenant = $1 and active) as active,
           (select count(*)::int from bot where tenant = $1 and not active) as inactive,
           (select count(*)::int from (
             select from bot_key where tenant = $1 and expires_at > now() and expires_at < now() + interval '30 days'
               and revoked_at is null and rotated_to = '' limit $2) as found) as "expiringKeys"`,
};

type BotNumbers = { active: number; inactive: number; expiringKeys: number };

/** Counting of keys ends here. */
export const mostKeys = 10_000;

/** The bots of a tenant, and their keys that expire soon: at most one more than `mostKeys`. */
export async function countBots(reader: Reader, tenant: string): Promise<BotNumbers> {
  const [row] = await reader.query(counts, [tenant, mostKeys + 1]);
  return row ?? { active: 0, inactive: 0, expiringKeys: 0 };
}

const searched = createListing({
  name: 'identity.bots_searched',
  sources: ['bot b'],
  scope: 'b.tenant = $1',
  id: 'b.id',
  orders: {
    name: { key: textKey('b.name'), type: 'text' },
    created: { key: 'b.created_at', type: 'timestamptz' },
  },
  searched: [textKey('b.name'), lastPartKey('b.name')],
  inside: {
    index: botTrigrams,
    keys: [textKey('b.name')],
    scope: `${tenantKey('b.tenant')} = $1`,
  },
  filters: [
    `($7::text is null or b.active = ($7 = 'active'))`,
    '($8::timestamptz is null or b.created_at >= $8)',
    '($9::timestamptz is null or b.created_at < $9)',
  ],
});

/** The ids of a page of a tenant's bots. */
export const searchBots = (
  reader: Reader,
  tenant: string,
  { status, from, to, ...search }: Search,
  page: PageQuery,
): Promise<FoundIds> =>
  searched.find(reader.query, { ...search, ...page, tenant, values: [status, from, to] });
