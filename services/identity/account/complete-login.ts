import { homeNetwork, tokenHash, tokenKind } from '@bailiwick/contract';
import { deadToken, unauthenticated } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type {
  AccountCompleteLoginRequest,
  AccountCompleteLoginResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { findChallenged } from '../factors/challenges/queries.ts';
import { forLogin } from '../passkeys/challenges.ts';
import { passwordNotAccepted } from '../passwords/policy.ts';
import { beginSession } from '../sessions/begin.ts';
import { ownSignIn } from '../sessions/entities.ts';
import type { UserRow } from '../users/entities.ts';
import { findUsers } from '../users/queries.ts';
import { failure } from './authenticate.ts';
import type { AccountDeps } from './deps.ts';
import { type FactorResult, settle } from './second-factor.ts';
import { beginRecovered } from './sso-recovery.ts';

/** Opens the session of a challenge, if its answer is right. */
export async function completeLogin(
  deps: AccountDeps,
  request: AccountCompleteLoginRequest,
  call: Call,
): Promise<MessageInitShape<typeof AccountCompleteLoginResponseSchema>> {
  const { database } = deps;
  if (tokenKind(request.challenge) !== 'challenge') throw deadToken();
  const hash = tokenHash(request.challenge);
  const place = homeNetwork(call.caller.ip);
  const challenged = await findChallenged(database, hash, place);
  const [user] = await findUsers(database, [challenged?.userId ?? '']);
  if (user?.status !== 'active') throw deadToken();
  const code = challenged?.recovery;
  if (!code) await assertPasswordAccepted(deps, user, call);
  const answer = { user, hash, place, request, purpose: forLogin, refuse: unauthenticated };
  const originOf = ({ proof: { method, assurance }, authMethod }: FactorResult) =>
    ownSignIn(call, { authMethod, furtherMethods: [method], assurance });
  if (!code)
    return settle(deps, answer, call, (tx, locked, result) =>
      beginSession(tx, call, locked, originOf(result)),
    );
  // The code is used after the factor, outside of the transaction, which holds a connection.
  const { from, recoveryCodesLeft } = await settle(deps, answer, call, (_em, _user, result) =>
    Promise.resolve({ from: originOf(result) }),
  );
  const session = await beginRecovered(deps, call, { user, code }, (tx, locked) =>
    beginSession(tx, call, locked, from),
  );
  return { ...session, recoveryCodesLeft };
}

/** Throws if the user's domain requires SSO since the password was checked. */
async function assertPasswordAccepted(deps: AccountDeps, user: UserRow, call: Call): Promise<void> {
  if (!(await deps.passwordPolicy.admitsUser(user, call)))
    throw await failure(deps, passwordNotAccepted(), call, user.email, user);
}
