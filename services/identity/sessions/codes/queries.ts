import type { Transaction } from '@bailiwick/store';
import type { SessionOrigin, TakenOn } from '../entities.ts';
import { isLive } from '../live/queries.ts';

/** The values that a session takes from the live one that it takes on. */
export async function findTakenOn(tx: Transaction, id: string): Promise<TakenOn | undefined> {
  const [row] = await tx.query<Record<'id' | 'signedInAt' | 'endsAt' | 'idleMinutes', string>>(
    `select coalesce(nullif(taken_from, ''), id) as id, created_at as "signedInAt", expires_at as "endsAt", idle_minutes as "idleMinutes"
     from session s where id = $1 and ${isLive}`,
    [id],
  );
  return (
    row && {
      id: row.id,
      signedInAt: new Date(row.signedInAt),
      endsAt: new Date(row.endsAt),
      idleMinutes: Number(row.idleMinutes),
    }
  );
}

/** The columns that a session (s) or a code for one (c) has of a sign-in. */
const originColumns = (row: string) =>
  `${row}.auth_method as "authMethod", ${row}.further_methods as "furtherMethods", ${row}.assurance, ${row}.own_assurance as "ownAssurance", ${row}.proven_at as "provenAt", ${row}.provider, ${row}.sso_tenant as "ssoTenant", ${row}.unconfirmed, ${row}.ip, ${row}.user_agent as "userAgent"`;

type OriginRow = Omit<SessionOrigin, 'provenAt'> & { provenAt: string | null };

const originOf = ({ provenAt, ...row }: OriginRow): SessionOrigin => ({
  ...row,
  provenAt: provenAt === null ? null : new Date(provenAt),
});

/** How a live session was opened, and its proofs. */
export async function findSessionOrigin(
  tx: Transaction,
  id: string,
): Promise<SessionOrigin | undefined> {
  const [row] = await tx.query<OriginRow>(
    `select ${originColumns('s')}
     from session s where id = $1 and ${isLive}`,
    [id],
  );
  return row && originOf(row);
}

/** The user of a code, valid or expired: the user is locked before the code is consumed. */
export async function findCodeUser(
  tx: Transaction,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await tx.query<{ user_id: string }>(
    'select user_id from sign_in_code where token_hash = $1',
    [tokenHash],
  );
  return row?.user_id;
}

/**
 * The address key that a code stores. The previous version would open a fresh session for the code
 * of a session: it finds no user with such a key.
 */
export const codeKey = (emailKey: string, sessionId: string): string =>
  sessionId === '' ? emailKey : `session ${emailKey}`;

/**
 * Consumes a code for a page of that origin ("" = the caller is not a page). Returns the origin of
 * its session, and the session that it takes on ('' = none).
 */
export async function consumeCode(
  tx: Transaction,
  tokenHash: Uint8Array,
  origin: string,
): Promise<(SessionOrigin & { sessionId: string }) | undefined> {
  const [row] = await tx.query<OriginRow & { sessionId: string }>(
    `delete from sign_in_code c using user_account u
     where c.token_hash = $1 and c.expires_at > now() and (c.origin = $2 or $2 = '') and u.id = c.user_id and u.status = 'active'
       and c.email_key = case when c.session_id = '' then u.email_key else 'session ' || u.email_key end
     returning ${originColumns('c')},
       c.session_id as "sessionId"`,
    [tokenHash, origin],
  );
  return row && { ...originOf(row), sessionId: row.sessionId };
}

export async function voidCodesFor(tx: Transaction, userId: string, origin: string): Promise<void> {
  await tx.query('delete from sign_in_code where user_id = $1 and origin = $2', [userId, origin]);
}
