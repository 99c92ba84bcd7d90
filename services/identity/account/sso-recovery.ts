import { normaliseEmail, type Origin } from '@bailiwick/contract';
import { unauthenticated, unavailable } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import { onPool, type Transaction } from '@bailiwick/store';
import type { RecoveryCode } from '../factors/challenges/queries.ts';
import { spellingsOf } from '../passwords/imported/imported.ts';
import type { Policy } from '../passwords/policy.ts';
import { rowOf } from '../rows.ts';
import type { NewSession } from '../sessions/begin.ts';
import { ownSignIn } from '../sessions/entities.ts';
import { type UserRow } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { authenticate, type Exemption, failure } from './authenticate.ts';
import type { AccountDeps } from './deps.ts';
import { createFloor } from './response-floor.ts';
import { beginOrChallenge, type Challenge, openChallenge } from './second-factor.ts';

// An owner signs in with a password, the due second factor and a recovery code of the tenant, whose
// identity provider does not work. The code is used up last, so that nothing else lifts the
// requirement.

/** The same for a wrong password, an unknown code and a user who owns nothing. */
const wrongRecovery = 'email, password or recovery code is wrong';

/** Above a comparison of a password and the question of who owns the tenant, on an idle machine. */
const limits = { leastMs: 500, mostMs: 5000 } as const;

type Login = { email: string; password: string; ssoRecoveryCode: string };

/** Returns the sign-in with a recovery code. Every answer waits for the floor. */
export function createRecovery(deps: AccountDeps) {
  const start = createFloor(limits);
  return async (login: Login, call: Call): Promise<NewSession | Challenge> => {
    const response = start(spellingsOf(login.password).length);
    try {
      const opened = await recover(deps, login, call);
      response.note(true);
      return opened;
    } finally {
      await response.wait();
    }
  };
}

async function recover(
  deps: AccountDeps,
  { email, password, ssoRecoveryCode }: Login,
  call: Call,
): Promise<NewSession | Challenge> {
  const code = await deps.recovery.find({ code: ssoRecoveryCode, ip: call.caller.ip }, call);
  const exemption = exemptionOf(deps, code);
  const { user, factors } = await authenticate(deps, { email, password }, call, exemption);
  const from = ownSignIn(call, { authMethod: 'password', assurance: 'aal1' });
  if (factors.length === 0)
    return beginRecovered(deps, call, { user, code }, (tx, locked) =>
      // A factor may have been added during the check.
      beginOrChallenge(tx, call, locked, from),
    );
  const waiting = { ...from, factors, recovery: code };
  const challenge = await openChallenge(onPool(deps.database, call), call, user, waiting);
  // The user has changed during the check.
  if (!challenge) throw unavailable();
  return challenge;
}

/** A known code exempts the owners of its tenant from the policy of that tenant. */
const exemptionOf = (deps: AccountDeps, { tenant }: RecoveryCode): Exemption => ({
  wrong: wrongRecovery,
  admits: async (policy: Policy, user: UserRow | undefined, call: Origin) =>
    user?.status === 'active' &&
    (await owns(deps, tenant, user.id, call)) &&
    (policy.tenant === tenant || deps.passwordPolicy.admits(policy, user.id, call)),
});

const owns = async (
  { authority }: AccountDeps,
  tenant: string,
  userId: string,
  call: Origin,
): Promise<boolean> =>
  tenant !== '' &&
  (await authority.listOwners({ tenant, limit: 1, userId }, call)).userIds.includes(userId);

type RecoveredUser = { user: UserRow; code: RecoveryCode };

/**
 * Uses the code up and opens the session. If the user changes in between, the code is used and the
 * requirement lifted: the next sign-in needs none.
 */
export async function beginRecovered<T>(
  deps: AccountDeps,
  call: Call,
  { user, code: { tenant, codeHash } }: RecoveredUser,
  begin: (tx: Transaction, locked: UserRow) => Promise<T>,
): Promise<T> {
  const { ip, userAgent } = call.caller;
  const { admits } = exemptionOf(deps, { tenant, codeHash });
  // While a challenge waited, ownership may have ended, or another tenant may have required its SSO.
  const policy = await deps.passwordPolicy.of(normaliseEmail(user.email).domain, call);
  const isAdmitted = await admits(policy, user, call);
  const request = { tenant, codeHash, userId: user.id, ip, userAgent };
  if (!isAdmitted || !(await deps.recovery.use(request, call)).used)
    throw await failure(deps, unauthenticated(wrongRecovery), call, user.email, user);
  return deps.database.transaction({ call, tenant: null, row: rowOf.user(user.id) }, async (tx) => {
    const locked = await lockActive(tx, user.id);
    if (!locked || locked.passwordHash !== user.passwordHash) throw unauthenticated(wrongRecovery);
    return begin(tx, locked);
  });
}
