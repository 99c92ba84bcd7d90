import { type Assurance, recentLoginMs } from '@bailiwick/contract';
import {
  type Database,
  onPool,
  type Run,
  type Statement,
  type Transaction,
} from '@bailiwick/store';
import { isLive } from '../live/queries.ts';

// The proofs of a session's sign-in: their time, and the factors.

/** Whether the sign-in of a live session is recent, and used a factor of ours; its provider. */
export type SignInState = { recent: boolean; proven: boolean; provider: string; ssoTenant: string };

const signInState: Statement<SignInState, [id: string, recentLoginMs: number]> = {
  name: 'identity.sign_in_state',
  text: `select greatest(created_at, proven_at) > now() - $2::int * interval '1 millisecond' as recent,
           auth_method = 'passkey' or further_methods && '{totp,recovery_code,passkey}' as proven,
           provider, sso_tenant as "ssoTenant"
         from session s where id = $1 and ${isLive}`,
};

/**
 * Undefined if the session has ended. The statement of an identity provider about its own factors
 * does not count: its tenant could let it claim anything.
 */
export async function findSignInState(run: Run, id: string): Promise<SignInState | undefined> {
  const [row] = await run(signInState, [id, recentLoginMs]);
  return row;
}

/** Whether a session is recent enough for sensitive operations. */
export const isRecent = async (database: Database, id: string): Promise<boolean> =>
  (await findSignInState(onPool(database), id))?.recent ?? false;

/** Whether a session began after a time. One that takes another on began with that one. */
export async function beganAfter(tx: Transaction, id: string, time: string): Promise<boolean> {
  const text = 'select 1 as one from session where id = $1 and created_at > $2::timestamptz';
  return (await tx.query(text, [id, time])).length > 0;
}

/**
 * Adds a factor to a session, whose user has just added or proved it. If it was added in a session
 * of a tenant's provider, it is no factor of the user's own in other tenants: that provider may
 * have added it.
 */
export async function raiseSession(
  tx: Transaction,
  id: string,
  { method, assurance, ssoTenant }: { method: string; assurance: Assurance; ssoTenant: string },
): Promise<void> {
  await tx.query(
    `update session set further_methods = case when $2 = any (further_methods) then further_methods else further_methods || $2::text end,
       assurance = case assurance when 'phishing_resistant' then assurance else $3 end,
       own_assurance = case when own_assurance = 'phishing_resistant' or $4 = '' then own_assurance else $4 end
     where id = $1`,
    [id, method, assurance, ssoTenant === '' ? assurance : ''],
  );
}

/** Makes the sign-in of a session a recent one: its user has just proved a factor. */
export async function refreshSession(tx: Transaction, id: string): Promise<void> {
  await tx.query('update session set proven_at = now() where id = $1', [id]);
}
