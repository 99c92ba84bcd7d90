import type { Database, Statement, Transaction } from '@bailiwick/store';

/** Voids the links to a provider that wait for a user: only the newest one counts. */
export async function voidPendingLinks(
  tx: Transaction,
  userId: string,
  provider: string,
): Promise<void> {
  await tx.query('delete from pending_link where user_id = $1 and provider = $2', [
    userId,
    provider,
  ]);
}

export type PendingLink = {
  userId: string;
  provider: string;
  providerName: string;
  issuer: string;
  subject: string;
  email: string;
  createdAt: string;
};

const pendingLink: Statement<PendingLink, [tokenHash: Uint8Array]> = {
  name: 'identity.pending_link',
  text: `select user_id as "userId", provider, provider_name as "providerName", issuer, subject, email, created_at as "createdAt"
         from pending_link where token_hash = $1 and expires_at > now()`,
};

/** The link of a token, if it has not expired. Its consumption decides. */
export async function findPendingLink(
  database: Database,
  tokenHash: Uint8Array,
): Promise<PendingLink | undefined> {
  const [row] = await database.query(pendingLink, [tokenHash]);
  return row;
}

/** Consumes the token: one of several calls does, and none after a change of address. */
export async function consumePendingLink(
  tx: Transaction,
  tokenHash: Uint8Array,
  emailKey: string,
): Promise<boolean> {
  const rows = await tx.query(
    'delete from pending_link where token_hash = $1 and email_key = $2 and expires_at > now() returning 1 as one',
    [tokenHash, emailKey],
  );
  return rows.length > 0;
}

/** Voids all links of a user that wait for their confirmation. */
export async function voidAllPendingLinks(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from pending_link where user_id = $1', [userId]);
}
