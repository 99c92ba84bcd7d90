import type { Origin } from '@bailiwick/contract';
import type { PageQuery } from '@bailiwick/pipeline';
import { type Database, msUntil, type Statement, type Transaction } from '@bailiwick/store';
import type { BotKeyRow } from './entities.ts';

const columns = `k.tenant, k.id, k.bot, k.name, k.prefix, k.last4, k.permissions, k.allowed_ips as "allowedIps", k.expires_at as "expiresAt",
  k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt", k.rotated_from as "rotatedFrom", k.latest_end as "latestEnd", k.created_by as "createdBy", k.created_at as "createdAt"`;

const byId: Statement<BotKeyRow, [tenant: string, id: string]> = {
  name: 'identity.bot_key',
  text: `select ${columns} from bot_key k where k.tenant = $1 and k.id = $2`,
};

export async function findBotKey(
  database: Database,
  tenant: string,
  id: string,
): Promise<BotKeyRow | undefined> {
  const [row] = await database.query(byId, [tenant, id]);
  return row;
}

const ofBot: Statement<BotKeyRow, [tenant: string, bot: string, after: string, limit: number]> = {
  name: 'identity.keys_of_bot',
  text: `select ${columns} from bot_key k where k.tenant = $1 and k.bot = $2 and k.id > $3 order by k.id limit $4`,
};

/** A page of a bot's keys, plus one row if there are more. */
export function listBotKeys(
  database: Database,
  tenant: string,
  bot: string,
  { after, limit }: PageQuery,
): Promise<BotKeyRow[]> {
  return database.query(ofBot, [tenant, bot, after, limit]);
}

/** How often a use of a key is written at least, in ms: a busy bot does not cause a write per call. */
export const keyUseMs = 60_000;

const liveKey = `select k.tenant, k.id, k.bot, k.permissions, k.allowed_ips as "allowedIps", k.expires_at as "expiresAt",
           ${msUntil('k.expires_at')} as "expiresInMs", coalesce(${msUntil("k.last_used_at + interval '1 minute'")}, 0) as "useDueInMs"
         from bot_key k join bot b on b.tenant = k.tenant and b.id = k.bot
         where k.expires_at > now() and k.revoked_at is null and b.active`;
const live: Statement<LiveBotKey, [tokenHash: Uint8Array]> = {
  name: 'identity.live_bot_key',
  text: `${liveKey} and k.token_hash = $1`,
  across: 'finds the bot and its tenant from the secret of a key',
};
const liveById: Statement<LiveBotKey, [tenant: string, bot: string, credentialId: string]> = {
  name: 'identity.live_bot_key_by_id',
  text: `${liveKey} and k.tenant = $1 and k.bot = $2 and k.id = $3`,
};

export type LiveBotKey = Pick<BotKeyRow, 'tenant' | 'id' | 'bot' | 'permissions' | 'allowedIps'> & {
  expiresAt: string;
  /** The times until the key expires, and until a use of it is written. */
  expiresInMs: number;
  useDueInMs: number;
};

/** The key of a secret, if it is valid and its bot is active. */
export async function findLiveBotKey(
  database: Database,
  tokenHash: Uint8Array,
): Promise<LiveBotKey | undefined> {
  const [key] = await database.query(live, [tokenHash]);
  return key;
}

/** The key of an id, if it is valid and its bot is active. */
export async function findLiveBotKeyById(
  database: Database,
  { tenant, bot, credentialId }: { tenant: string; bot: string; credentialId: string },
): Promise<LiveBotKey | undefined> {
  const [key] = await database.query(liveById, [tenant, bot, credentialId]);
  return key;
}

// For concurrent calls, the condition lets only one of them write.
const unused = `(last_used_at is null or last_used_at < now() - interval '1 minute')`;
const touchKey: Statement<never, [tenant: string, id: string]> = {
  name: 'identity.touch_bot_key',
  text: `update bot_key set last_used_at = now() where tenant = $1 and id = $2 and ${unused}`,
};
const touchBot: Statement<never, [tenant: string, bot: string]> = {
  name: 'identity.touch_bot',
  text: `update bot set last_used_at = now() where tenant = $1 and id = $2 and ${unused}`,
};

/** Stores the last use of the key and its bot if it is due. Returns the time until the next is, in ms. */
export async function touchBotKey(
  database: Database,
  call: Origin,
  { tenant, id, bot, useDueInMs }: LiveBotKey,
): Promise<number> {
  if (useDueInMs > 0) return useDueInMs;
  await database.write(call, touchKey, [tenant, id]);
  await database.write(call, touchBot, [tenant, bot]);
  return keyUseMs;
}

// As with sessions (sessions/live/queries.ts). Several keys of one bot may be used.
const recordUses: Statement<
  never,
  [tenants: readonly string[], ids: readonly string[], agoMs: readonly number[]]
> = {
  name: 'identity.record_bot_key_uses',
  text: `with used as (
           select k.tenant, k.id, k.bot, u.at
           from (select tenant, id, now() - min(ago) * interval '1 ms' as at from unnest($1::text[], $2::text[], $3::int[]) as u (tenant, id, ago) group by tenant, id) u
             join bot_key k on k.tenant = u.tenant and k.id = u.id
           where u.at > coalesce(k.last_used_at, '-infinity') and u.at < k.expires_at and k.revoked_at is null
           for no key update of k skip locked
         ), keys as (
           update bot_key k set last_used_at = used.at from used where k.tenant = used.tenant and k.id = used.id
         ), bots as (
           select b.tenant, b.id, (select max(at) from used where used.tenant = b.tenant and used.bot = b.id) as at
           from bot b where (b.tenant, b.id) in (select tenant, bot from used)
           for no key update of b skip locked
         )
         update bot b set last_used_at = bots.at from bots
         where b.tenant = bots.tenant and b.id = bots.id and bots.at > coalesce(b.last_used_at, '-infinity')`,
};

/** Records uses of keys and their bots; `agoMs`: how long ago each was. */
export async function recordKeyUses(
  database: Database,
  call: Origin,
  uses: ReadonlyArray<{ tenant: string; id: string; agoMs: number }>,
): Promise<void> {
  if (uses.length === 0) return;
  await database.write(call, recordUses, [
    uses.map(({ tenant }) => tenant),
    uses.map(({ id }) => id),
    uses.map(({ agoMs }) => agoMs),
  ]);
}

const dueKeys: Statement<BotKeyRow & { noticeAt: string }, [limit: number]> = {
  name: 'identity.take_due_bot_keys',
  text: `select ${columns}, k.notice_at as "noticeAt" from bot_key k where k.notice_at <= now() order by k.notice_at limit $1 for update skip locked`,
  across: 'announces the expiry of keys of all tenants',
};

/**
 * Keys of all tenants with an event due. Each is locked by one replica until its transaction ends.
 */
export async function takeDue(
  tx: Transaction,
  limit: number,
): Promise<Array<BotKeyRow & { noticeAt: string }>> {
  return tx.query(dueKeys, [limit]);
}

export async function setNotice(
  tx: Transaction,
  { tenant, id }: BotKeyRow,
  noticeAt: Date | null,
): Promise<void> {
  await tx.query('update bot_key set notice_at = $3 where tenant = $1 and id = $2', [
    tenant,
    id,
    noticeAt,
  ]);
}
