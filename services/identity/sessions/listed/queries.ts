import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import type { ListedSession, SessionOrigin } from '../entities.ts';
import { isLive, limitedTo } from '../live/queries.ts';

// Live sessions as their users and operators see them.

const listed = `select id, user_id, operator, reason, auth_method, further_methods, assurance, provider, ip, user_agent, created_at, last_seen_at, expires_at, ${limitedTo} as limited_to from session s`;

const list: Statement<Row, [userId: string, after: string, limit: number]> = {
  name: 'identity.list_sessions',
  text: `${listed}
         where user_id = $1 and id > $2 and ${isLive} order by id limit $3`,
  across: 'the session names the tenant of the link that opened it',
};

const ofOperator: Statement<Row, [operator: string]> = {
  name: 'identity.support_of_operator',
  text: `${listed} where operator <> '' and operator = $1 and ${isLive}`,
  across: 'a support session belongs to its user in all tenants',
};

type Row = Pick<SessionOrigin, 'assurance'> & { further_methods: string[] } & Record<
    | 'id'
    | 'user_id'
    | 'auth_method'
    | 'provider'
    | 'ip'
    | 'user_agent'
    | 'created_at'
    | 'last_seen_at'
    | 'expires_at'
    | 'limited_to'
    | 'operator'
    | 'reason',
    string
  >;

/** A page of a user's live sessions, plus one row if there are more. */
export async function listSessions(
  database: Database,
  userId: string,
  { after, limit }: PageQuery,
): Promise<ListedSession[]> {
  return (await database.query(list, [userId, after, limit])).map(listedOf);
}

const listedOf = (row: Row): ListedSession => ({
  id: row.id,
  userId: row.user_id,
  authMethod: row.auth_method,
  furtherMethods: row.further_methods,
  assurance: row.assurance,
  provider: row.provider,
  ip: row.ip,
  userAgent: row.user_agent,
  createdAt: new Date(row.created_at),
  lastSeenAt: new Date(row.last_seen_at),
  expiresAt: new Date(row.expires_at),
  limitedTo: row.limited_to,
  operator: row.operator,
  reason: row.reason,
});

const listedById: Statement<Row, [id: string]> = {
  name: 'identity.listed_session',
  text: `${listed} where id = $1 and ${isLive}`,
  across: 'the session names the tenant of the link that opened it',
};

export async function findListed(tx: Transaction, id: string): Promise<ListedSession | undefined> {
  const [row] = await tx.query(listedById, [id]);
  return row && listedOf(row);
}

/** The live support session of an operator. */
export async function findSupportOf(
  database: Database,
  operator: string,
): Promise<ListedSession | undefined> {
  const [row] = await database.query(ofOperator, [operator]);
  return row && listedOf(row);
}
