import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import type { ListedPasskey, PasskeyRow } from './entities.ts';

const ofUser: Statement<ListedPasskey, [userId: string, after: string, limit: number]> = {
  name: 'identity.passkeys_of_user',
  text: `select id, name, backup_eligible as "backupEligible", backed_up as "backedUp", transports, aaguid,
           created_at as "createdAt", last_used_at as "lastUsedAt"
         from passkey where user_id = $1 and id > $2 order by id limit $3`,
};

/** A page of a user's passkeys, plus one row if there are more. */
export function listPasskeys(
  database: Database,
  userId: string,
  { after, limit }: PageQuery,
): Promise<ListedPasskey[]> {
  return database.query(ofUser, [userId, after, limit]);
}

export type KnownCredential = { id: string; transports: string[] };

const credentialsOf: Statement<KnownCredential, [userId: string]> = {
  name: 'identity.credentials_of_user',
  text: 'select credential_id as id, transports from passkey where user_id = $1 order by id',
};

/** The credentials that a user has: the authenticator that holds one makes no second one. */
export function listCredentials(database: Database, userId: string): Promise<KnownCredential[]> {
  return database.query(credentialsOf, [userId]);
}

/** The columns that verify an answer. */
export type StoredPasskey = Pick<
  PasskeyRow,
  'id' | 'userId' | 'credentialId' | 'publicKey' | 'name' | 'signCount' | 'provider' | 'ssoTenant'
>;

const byCredential: Statement<
  Omit<StoredPasskey, 'signCount'> & { signCount: string },
  [credentialId: string]
> = {
  name: 'identity.passkey_by_credential',
  text: `select id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey", name,
           sign_count as "signCount", provider, sso_tenant as "ssoTenant"
         from passkey where credential_id = $1`,
};

export async function findByCredential(
  database: Database,
  credentialId: string,
): Promise<StoredPasskey | undefined> {
  const [row] = await database.query(byCredential, [credentialId]);
  return row && { ...row, signCount: Number(row.signCount) };
}

export async function hasPasskey(tx: Transaction, userId: string): Promise<boolean> {
  const rows = await tx.query('select 1 as one from passkey where user_id = $1 limit 1', [userId]);
  return rows.length > 0;
}

/** Stores a passkey, unless a passkey of any user has its credential. */
export async function storePasskey(tx: Transaction, row: PasskeyRow): Promise<boolean> {
  const rows = await tx.query(
    `insert into passkey (id, user_id, credential_id, public_key, name, sign_count, backup_eligible, backed_up, transports, aaguid, created_at, provider, sso_tenant)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict (credential_id) do nothing returning id`,
    [
      row.id,
      row.userId,
      row.credentialId,
      row.publicKey,
      row.name,
      row.signCount,
      row.backupEligible,
      row.backedUp,
      row.transports,
      row.aaguid,
      row.createdAt,
      row.provider,
      row.ssoTenant,
    ],
  );
  return rows.length > 0;
}

/** A verified use of a passkey: the count before it, and the authenticator's new state. */
export type PasskeyUse = { id: string; before: number; signCount: number; backedUp: boolean };

/**
 * Records a use. Returns false if the passkey was deleted or used since it was verified: its count
 * may have to be refused now.
 */
export async function usePasskey(
  tx: Transaction,
  { id, before, signCount, backedUp }: PasskeyUse,
): Promise<boolean> {
  const rows = await tx.query(
    'update passkey set sign_count = $3, backed_up = $4, last_used_at = now() where id = $1 and sign_count = $2 returning id',
    [id, before, signCount, backedUp],
  );
  return rows.length > 0;
}

/** Uses up a challenge. Returns false if it is used up already. */
export async function useChallenge(
  tx: Transaction,
  { hash, expiresAt }: { hash: Uint8Array; expiresAt: Date },
): Promise<boolean> {
  const rows = await tx.query(
    'insert into used_challenge (challenge_hash, expires_at) values ($1, $2) on conflict do nothing returning 1 as one',
    [hash, expiresAt],
  );
  return rows.length > 0;
}
