import { type Database, type Statement } from '@bailiwick/database';
import { type PageQuery } from '@bailiwick/rpc';
import type { BotTrustRow } from '../bots/entities.ts';

const columns = `t.tenant, t.id, t.bot, t.issuer, t.audience, t.subject, t.claims, t.created_by as "createdBy", t.created_at as "createdAt",
  t.updated_at as "updatedAt"`;

const byId: Statement = {
  name: 'identity.bot_trust',
  text: `select ${columns} from bot_trust t where t.tenant = $1 and t.id = $2`,
};

export async function findBotTrust(
  database: Database,
  tenant: string,
  id: string,
): Promise<BotTrustRow | undefined> {
  const [row] = await database.query<BotTrustRow>(byId, [tenant, id]);
  return row;
}

const ofBot: Statement = {
  name: 'identity.trusts_of_bot',
  text: `select ${columns} from bot_trust t where t.tenant = $1 and t.bot = $2 and t.id > $3 order by t.id limit $4`,
};

/** A page of a bot's trusts, plus one row if there are more. */
export function listBotTrusts(
  database: Database,
  tenant: string,
  bot: string,
  { after, limit }: PageQuery,
): Promise<BotTrustRow[]> {
  return database.query<BotTrustRow>(ofBot, [tenant, bot, after, limit]);
}
