import { timingSafeEqual } from 'node:crypto';
import { type Assurance, normaliseCode } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import type { Database, Transaction } from '@bailiwick/store';
import type { Passwords } from '../passwords/passwords.ts';
import { findCodes, findTotps, type StoredTotp, useCode, useStep } from './queries.ts';
import { stepOf } from './totp.ts';

/** A right answer to a challenge. */
export type FactorProof = {
  /** The method that the session names, and its assurance together with the first method. */
  method: 'totp' | 'passkey' | 'recovery_code';
  assurance: Assurance;
  /** The tenant whose provider opened the session that added the factor; '' = none. */
  ssoTenant: string;
  /** Uses the answer up. Returns false if another call was faster. */
  use: (tx: Transaction) => Promise<boolean>;
};

export type ProofDeps = { database: Database; keys: TenantKeys; passwords: Passwords };

/** Opens the secret of an authenticator app. */
export async function openSecret(
  keys: TenantKeys,
  { id, dek_id: dekId, secret_enc: sealed }: StoredTotp,
): Promise<string> {
  return (await keys.open('', { dekId, sealed }, [id, 'secret'])).toString();
}

/** A code of one of the user's authenticator apps, of a step that was not used. */
export async function proveTotp(
  { database, keys }: ProofDeps,
  userId: string,
  code: string,
): Promise<FactorProof | undefined> {
  const now = Date.now();
  for (const factor of await findTotps(database, userId)) {
    const step = stepOf(await openSecret(keys, factor), code, now);
    if (step !== undefined && step > factor.last_step)
      return {
        method: 'totp',
        assurance: 'aal2',
        ssoTenant: factor.sso_tenant,
        use: (tx) => useStep(tx, userId, factor.id, step),
      };
  }
  return undefined;
}

/** One of the user's unused recovery codes. */
export async function proveRecoveryCode(
  { database, passwords }: ProofDeps,
  userId: string,
  code: string,
): Promise<FactorProof | undefined> {
  const stored = await findCodes(database, userId);
  const [first] = stored;
  if (!first) return undefined;
  const hash = await passwords.digest(normaliseCode(code), first.salt);
  const match = stored.find(({ code_hash: other }) => timingSafeEqual(other, hash));
  return (
    match && {
      method: 'recovery_code',
      assurance: 'aal2',
      ssoTenant: match.sso_tenant,
      use: (tx) => useCode(tx, userId, hash),
    }
  );
}
