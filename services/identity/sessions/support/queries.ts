import { createHash } from 'node:crypto';
import { type Database, onPool, type Statement, type Transaction } from '@bailiwick/store';

// Support sessions: rows of the table session with an operator.

/** A session that has ended. The last four are those of a support session. */
export type EndedSession = {
  id: string;
  userId: string;
  /** The operator; '' = the user's own session. */
  operator: string;
  reason: string;
  /** The tenants of the user whose audit has the start. */
  toldTenants: string[];
  /** Whether it had not ended by its time. */
  wasLive: boolean;
};

/** Returns the ended sessions of a `delete from session`. */
export const returningEnded = `returning id, user_id as "userId", operator, reason, told_tenants as "toldTenants",
  expires_at > now() and last_seen_at > now() - idle_minutes * interval '1 minute' as "wasLive"`;

/** The stored form of a support token’s hash. */
export const supportHash = (tokenHash: Uint8Array): Uint8Array =>
  createHash('sha256').update(tokenHash).digest();

/** Ends the support sessions that a user opened as an operator. */
export const deleteSupportOf = (tx: Transaction, operator: string): Promise<EndedSession[]> =>
  tx.query<EndedSession>(
    `delete from session where operator <> '' and operator = $1 ${returningEnded}`,
    [operator],
  );

/** Ends a support session. Only one of several concurrent calls gets it. */
export const deleteSupport = (tx: Transaction, id: string): Promise<EndedSession[]> =>
  tx.query<EndedSession>(`delete from session where operator <> '' and id = $1 ${returningEnded}`, [
    id,
  ]);

/** A support session that may have to end. */
export type OpenSupport = {
  id: string;
  userId: string;
  operator: string;
  operatorSession: string;
  toldTenants: string[];
  isLive: boolean;
};

const open = `select s.id, s.user_id as "userId", s.operator, s.operator_session as "operatorSession", s.told_tenants as "toldTenants",
    s.expires_at > now() and s.last_seen_at > now() - s.idle_minutes * interval '1 minute' as "isLive"
  from session s where s.operator <> ''`;
const all: Statement<OpenSupport, []> = { name: 'identity.open_support', text: open };
const touched: Statement<
  OpenSupport,
  [users: readonly string[], sessions: readonly string[], tenants: readonly string[]]
> = {
  name: 'identity.open_support_of',
  text: `${open} and (s.operator = any ($1) or s.user_id = any ($1) or s.operator_session = any ($2) or s.told_tenants && $3::text[])`,
};

/** All support sessions whose end is not stored. */
export const listOpenSupport = (database: Database): Promise<OpenSupport[]> =>
  onPool(database)(all, []);

/** Those that depend on one of these users, sessions or tenants. */
export const listSupportOn = (
  database: Database,
  { users, sessions, tenants }: Record<'users' | 'sessions' | 'tenants', readonly string[]>,
): Promise<OpenSupport[]> => onPool(database)(touched, [users, sessions, tenants]);
