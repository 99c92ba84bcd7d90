import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Statement } from '@bailiwick/store';
import type { BotTrustRow } from '../bots/entities.ts';

const columns = `t.tenant, t.id, t.bot, t.issuer, t.audience, t.subject, t.claims, t.jwks, t.created_by as "createdBy", t.created_at as "createdAt",
  t.updated_at as "updatedAt"`;

const byId: Statement<BotTrustRow, [tenant: string, id: string]> = {
  name: 'identity.bot_trust',
  text: `select ${columns} from bot_trust t where t.tenant = $1 and t.id = $2`,
};

export async function findBotTrust(
  database: Database,
  tenant: string,
  id: string,
): Promise<BotTrustRow | undefined> {
  const [row] = await database.query(byId, [tenant, id]);
  return row;
}

// A client ID names no tenant.
const ofIssuer: Statement<TrustRow, [bot: string, issuer: string]> = {
  name: 'identity.trusts_of_issuer',
  text: `select b.tenant, b.active, t.id, t.issuer, t.audience, t.subject, t.claims, t.jwks
         from bot b left join bot_trust t on t.tenant = b.tenant and t.bot = b.id and t.issuer = $2
         where b.id = $1 order by t.id`,
  across: 'finds the bot and its tenant from its client ID',
};

type IssuerTrust = Pick<BotTrustRow, 'id' | 'issuer' | 'audience' | 'subject' | 'claims' | 'jwks'>;
type TrustRow = { tenant: string; active: boolean } & ({ id: null } | IssuerTrust);

/** A bot with its trusts in an issuer; undefined if there is no such bot. */
export async function findTrustsIn(
  database: Database,
  bot: string,
  issuer: string,
): Promise<{ tenant: string; active: boolean; trusts: IssuerTrust[] } | undefined> {
  const rows = await database.query(ofIssuer, [bot, issuer]);
  const [first] = rows;
  if (!first) return undefined;
  const { tenant, active } = first;
  return {
    tenant,
    active,
    trusts: rows.filter((row): row is TrustRow & IssuerTrust => row.id !== null),
  };
}

const live: Statement<unknown, [tenant: string, bot: string, credentialId: string]> = {
  name: 'identity.live_bot_trust',
  text: `select t.id from bot_trust t join bot b on b.tenant = t.tenant and b.id = t.bot
         where t.tenant = $1 and t.bot = $2 and t.id = $3 and b.active`,
};

/** Whether a trust exists and its bot is active. */
export async function isLiveTrust(
  database: Database,
  { tenant, bot, credentialId }: { tenant: string; bot: string; credentialId: string },
): Promise<boolean> {
  return (await database.query(live, [tenant, bot, credentialId])).length > 0;
}

const ofBot: Statement<BotTrustRow, [tenant: string, bot: string, after: string, limit: number]> = {
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
  return database.query(ofBot, [tenant, bot, after, limit]);
}
