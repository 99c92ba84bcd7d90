import { homeNetwork } from '@bailiwick/contract';
import { denied, toServiceError, unauthenticated } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import { countSignIn } from '@bailiwick/process';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { passwordNotAccepted } from '../passwords/policy.ts';
import { clearFactorFailures } from '../passwords/queries.ts';
import { rowOf } from '../rows.ts';
import { beginSession, type NewSession } from '../sessions/begin.ts';
import { ownSignIn, type SessionOrigin } from '../sessions/entities.ts';
import { lockActive } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { readLogin } from './answers.ts';
import { type ChallengePurpose, challengeMs, createChallenge, forLogin } from './challenges.ts';
import type { PasskeyDeps } from './deps.ts';
import { type PasskeyProof, provePasskey, unknownPasskey } from './proof.ts';
import { findByCredential, type StoredPasskey } from './queries.ts';
import { passkeyTarget } from './records.ts';
import { PasskeyRefusal, siteOf } from './site.ts';

type PasskeyLogin = Pick<Handlers<typeof Account>, 'beginPasskeyLogin' | 'finishPasskeyLogin'>;

export function passkeyLoginHandlers(deps: PasskeyDeps): PasskeyLogin {
  return {
    beginPasskeyLogin: async () => ({ options: await passkeyOptions(deps, forLogin) }),

    finishPasskeyLogin: ({ credential }, call) =>
      countSignIn('passkey', () => logIn(deps, credential, call)),
  };
}

/** Options with which the browser asks for a passkey, as JSON text. They name no account. */
export async function passkeyOptions(
  { keyRing, publicUrl }: Pick<PasskeyDeps, 'keyRing' | 'publicUrl'>,
  purpose: ChallengePurpose,
): Promise<string> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: siteOf(publicUrl).rpId,
    challenge: new TextEncoder().encode(createChallenge(keyRing, purpose)),
    timeout: challengeMs,
    userVerification: 'required',
  });
  return JSON.stringify(options);
}

async function logIn(deps: PasskeyDeps, credential: string, call: Call): Promise<NewSession> {
  const answer = readLogin(credential);
  const passkey = answer && (await findByCredential(deps.database, answer.json.id));
  try {
    const proof = await provePasskey(deps, answer, passkey, forLogin);
    await assertMaySignIn(deps, proof.userId, call);
    return await begin(deps, call, proof);
  } catch (error) {
    throw await failure(deps, error, call, passkey);
  }
}

/** Refuses users whom a right password would not sign in either. */
async function assertMaySignIn(
  { database, passwordPolicy }: PasskeyDeps,
  userId: string,
  call: Call,
): Promise<void> {
  const [user] = await findUsers(database, [userId]);
  if (user?.status !== 'active') throw unknownPasskey();
  if (!user.emailVerified) throw denied('email is not verified', 'EMAIL_NOT_VERIFIED');
  if (!(await passwordPolicy.admitsUser(user, call))) throw passwordNotAccepted();
}

function begin(
  { database }: PasskeyDeps,
  call: Call,
  { userId, provider, ssoTenant, use }: PasskeyProof,
): Promise<NewSession> {
  // The device and its PIN or biometrics, for the pages of this site only.
  const assurance = 'phishing_resistant';
  const from: SessionOrigin = {
    ...ownSignIn(call, { authMethod: 'passkey', assurance }),
    // A passkey does not lift a tenant's refusal of the provider in whose session it was added.
    provider,
    ownAssurance: ssoTenant === '' ? assurance : '',
  };
  return database.transaction({ call, tenant: null, row: rowOf.user(userId) }, async (tx) => {
    const user = await lockActive(tx, userId);
    // The user was disabled meanwhile.
    if (!user) throw unknownPasskey();
    await use(tx);
    await clearFactorFailures(tx, userId, homeNetwork(call.caller.ip));
    return beginSession(tx, call, user, from);
  });
}

/** Audits a refused sign-in, and returns the error for the caller. */
async function failure(
  { database, refusals }: PasskeyDeps,
  thrown: unknown,
  call: Call,
  passkey: StoredPasskey | undefined,
): Promise<unknown> {
  const isRefused = thrown instanceof PasskeyRefusal;
  const error = isRefused
    ? unauthenticated(`the passkey was not accepted: ${thrown.message}`)
    : toServiceError(thrown);
  // Used challenges are audited like all one-time tokens.
  if (error.code !== 'unauthenticated' && error.code !== 'permission_denied') return thrown;
  const [user] = passkey ? await findUsers(database, [passkey.userId]) : [];
  const { ip } = call.caller;
  await refusals.record(`sign in with ${passkey?.id ?? (ip && homeNetwork(ip))}`, call, {
    Tenant: '',
    Action: isRefused && thrown.isCopy ? 'user.passkey_cloned' : 'user.sign_in_failed',
    Result: 'failed',
    Code: error.code,
    Targets: [
      ...(user ? [{ Type: 'user', ID: user.id, Name: user.email }] : []),
      passkeyTarget(passkey ?? { id: '', name: '' }),
    ],
  });
  return error;
}
