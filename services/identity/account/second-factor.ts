import { createToken, homeNetwork, tokenHash } from '@bailiwick/contract';
import { deadToken, type ServiceError } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { AccountCompleteLoginRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Run, Transaction } from '@bailiwick/store';
import {
  consumeChallenge,
  countTry,
  type RecoveryCode,
  storeChallenge,
} from '../factors/challenges/queries.ts';
import { recordFactors } from '../factors/changes.ts';
import { type FactorProof, proveRecoveryCode, proveTotp } from '../factors/proofs.ts';
import { countCodes, findFactors } from '../factors/queries.ts';
import { type ChallengePurpose } from '../passkeys/challenges.ts';
import { provePasskeyOf } from '../passkeys/proof.ts';
import type { StoredPasskey } from '../passkeys/queries.ts';
import { passkeyTarget } from '../passkeys/records.ts';
import { clearFactorFailures } from '../passwords/queries.ts';
import { rowOf } from '../rows.ts';
import { beginSession, type NewSession } from '../sessions/begin.ts';
import { type SessionOrigin } from '../sessions/entities.ts';
import type { UserRow } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { failure } from './authenticate.ts';
import type { AccountDeps } from './deps.ts';

// After the right password of a user with a second factor, Account_Login returns a challenge, and
// Account_CompleteLogin opens the session. Wrong answers are counted for the user: new challenges
// give no further tries.

/** The answer of a sign-in whose second factor is due. */
export type Challenge = { token: ''; challenge: string; factors: string[] };

/**
 * Opens a challenge after the right password or mailed code. Undefined if the user is no longer
 * active, or has changed since it was read.
 */
export async function openChallenge(
  run: Run,
  { caller }: Call,
  user: UserRow,
  {
    factors,
    authMethod,
    place = homeNetwork(caller.ip),
    recovery,
  }: {
    factors: readonly string[];
    authMethod: string;
    place?: string;
    recovery?: RecoveryCode;
  },
): Promise<Challenge | undefined> {
  const challenge = createToken('challenge');
  const stored = await storeChallenge(run, tokenHash(challenge), user, {
    place,
    authMethod,
    recovery,
  });
  return (
    stored && {
      token: '',
      challenge,
      factors: [...factors, ...(stored.hasCodes ? ['recovery_code'] : [])],
    }
  );
}

/** Opens a session of a locked user, or a challenge if a second factor is due. */
export async function beginOrChallenge(
  tx: Transaction,
  call: Call,
  user: UserRow,
  from: SessionOrigin,
): Promise<NewSession | Challenge> {
  const factors = await findFactors(tx.query, user.id);
  if (factors.length === 0) return beginSession(tx, call, user, from);
  const challenge = await openChallenge(tx.query, call, user, { ...from, factors });
  if (!challenge) throw new Error('a user changed while it was locked');
  return challenge;
}

/** A right answer, and the first method of the sign-in that asked for it. */
export type FactorResult = { proof: FactorProof; authMethod: string };

/**
 * Checks an answer, uses it and its challenge up, and does the work that they allow. The user is
 * locked meanwhile.
 */
export async function settle<T extends object>(
  deps: AccountDeps,
  { user, ...answer }: Answer,
  call: Call,
  work: (tx: Transaction, locked: UserRow, result: FactorResult) => Promise<T>,
): Promise<T & { recoveryCodesLeft: number }> {
  let copied: StoredPasskey | undefined;
  const remember = (passkey: StoredPasskey) => {
    copied = passkey;
  };
  const proof = await prove(deps, { user, ...answer }, call, remember);
  const text = answer.request.passkey === '' ? 'code is wrong' : 'the passkey was not accepted';
  // Audited outside of the transaction below, which holds a connection.
  const wrong = async () => {
    if (copied) await recordCopy(deps, user, copied, call);
    return failure(deps, answer.refuse(text), call, user.email, user);
  };
  if (!proof) throw await wrong();
  const row = { tenant: null, row: rowOf.user(user.id) };
  const result = await deps.database.transaction({ call, ...row }, async (tx) => {
    const locked = await lockActive(tx, user.id);
    if (!locked) throw deadToken();
    // Another call was faster with the same code: this challenge stays open for the next one.
    if (!(await proof.use(tx))) return undefined;
    const authMethod = await consumeChallenge(tx, answer.hash);
    if (authMethod === undefined) throw deadToken();
    await clearFactorFailures(tx, user.id, homeNetwork(call.caller.ip));
    const recoveryCodesLeft = await countCodes(tx.query, user.id);
    if (proof.method === 'recovery_code')
      await recordFactors(tx, locked, {
        type: 'user.recovery_code_used',
        values: { left: String(recoveryCodesLeft) },
      });
    return { ...(await work(tx, locked, { proof, authMethod })), recoveryCodesLeft };
  });
  if (!result) throw await wrong();
  return result;
}

type Answer = {
  user: UserRow;
  /** The hash of the challenge, and where it was asked for. */
  hash: Uint8Array;
  place: string;
  request: Pick<AccountCompleteLoginRequest, 'totp' | 'passkey' | 'recoveryCode'>;
  /** The purpose of the challenge that a passkey has signed. */
  purpose: ChallengePurpose;
  /** The error for a wrong answer. */
  refuse: (text: string) => ServiceError;
};

/** Checks an answer. Counts a try of the challenge and, if it is wrong, a failure of the user. */
async function prove(
  deps: AccountDeps,
  { user, hash, place, request, purpose }: Omit<Answer, 'refuse'>,
  call: Call,
  onCopy: (passkey: StoredPasskey) => void,
): Promise<FactorProof | undefined> {
  let proof: FactorProof | undefined;
  await deps.throttle.attemptFactor(user.id, call.caller.ip, async () => {
    if (!(await countTry(deps.database, call, hash, place))) throw deadToken();
    proof = await checkAnswer(deps, user.id, { ...request, purpose }, onCopy);
    return proof !== undefined;
  });
  return proof;
}

function checkAnswer(
  deps: AccountDeps,
  userId: string,
  { totp, passkey, recoveryCode, purpose }: Answer['request'] & Pick<Answer, 'purpose'>,
  onCopy: (passkey: StoredPasskey) => void,
): Promise<FactorProof | undefined> {
  if (totp !== '') return proveTotp(deps, userId, totp);
  if (passkey === '') return proveRecoveryCode(deps, userId, recoveryCode);
  return provePasskeyOf(deps, userId, { credential: passkey, purpose }, onCopy);
}

const recordCopy = (
  { refusals }: AccountDeps,
  { id, email }: UserRow,
  copied: StoredPasskey,
  call: Call,
): Promise<void> =>
  refusals.record(`sign in with ${copied.id}`, call, {
    Tenant: '',
    Action: 'user.passkey_cloned',
    Result: 'failed',
    Code: 'unauthenticated',
    Targets: [{ Type: 'user', ID: id, Name: email }, passkeyTarget(copied)],
  });
