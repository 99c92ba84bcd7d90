import { unauthenticated } from '@bailiwick/errors';
import type { Transaction } from '@bailiwick/store';
import type { FactorProof } from '../factors/proofs.ts';
import { type LoginAnswer, readLogin } from './answers.ts';
import { type ChallengePurpose, readChallenge, useUp } from './challenges.ts';
import type { PasskeyDeps } from './deps.ts';
import { findByCredential, type StoredPasskey, usePasskey } from './queries.ts';
import { copyRefusal, PasskeyRefusal, siteOf } from './site.ts';

/** A passkey that has signed a challenge of ours. */
export type PasskeyProof = {
  userId: string;
  /** The provider whose session added the passkey; '' = none. */
  provider: string;
  ssoTenant: string;
  /** Uses the challenge up and records the use. @throws if another call was faster */
  use: (tx: Transaction) => Promise<void>;
};

/** The same text for a passkey that no user has, and one of a disabled user. */
export const unknownPasskey = () => unauthenticated('unknown passkey', 'PASSKEY_UNKNOWN');

/** Verifies the answer to a challenge of this purpose. @throws PasskeyRefusal, or a ServiceError */
export async function provePasskey(
  { keyRing, publicUrl }: Pick<PasskeyDeps, 'keyRing' | 'publicUrl'>,
  answer: LoginAnswer | undefined,
  passkey: StoredPasskey | undefined,
  purpose: ChallengePurpose,
): Promise<PasskeyProof> {
  if (!answer) throw new PasskeyRefusal('it is malformed');
  const challenge = readChallenge(keyRing, answer.client.challenge, purpose);
  if (!passkey) throw unknownPasskey();
  const { verifyLogin } = await import('./verify.ts');
  const { newCounter, credentialBackedUp } = await verifyLogin(answer, passkey, siteOf(publicUrl));
  const { id, userId, provider, ssoTenant, signCount: before } = passkey;
  return {
    userId,
    provider,
    ssoTenant,
    async use(tx) {
      await useUp(tx, challenge);
      const used = { id, before, signCount: newCounter, backedUp: credentialBackedUp };
      // Another answer was used meanwhile, with a count that this one may not exceed.
      if (!(await usePasskey(tx, used))) throw copyRefusal();
    },
  };
}

/**
 * A passkey of a user as the answer to a challenge; undefined if it is refused or of another user.
 * `onCopy` is called if the passkey may be a copy, perhaps within the transaction that uses it.
 */
export async function provePasskeyOf(
  deps: Pick<PasskeyDeps, 'keyRing' | 'publicUrl' | 'database'>,
  userId: string,
  { credential, purpose }: { credential: string; purpose: ChallengePurpose },
  onCopy: (passkey: StoredPasskey) => void,
): Promise<FactorProof | undefined> {
  const answer = readLogin(credential);
  const passkey = answer && (await findByCredential(deps.database, answer.json.id));
  if (passkey?.userId !== userId) return undefined;
  const unlessRefused = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PasskeyRefusal)) throw error;
      if (error.isCopy) onCopy(passkey);
      return undefined;
    }
  };
  const proof = await unlessRefused(() => provePasskey(deps, answer, passkey, purpose));
  return (
    proof && {
      method: 'passkey',
      assurance: 'phishing_resistant',
      ssoTenant: proof.ssoTenant,
      use: async (tx) => (await unlessRefused(() => proof.use(tx).then(() => true))) ?? false,
    }
  );
}
