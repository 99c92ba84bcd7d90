import { findEmail, type Origin } from '@bailiwick/contract';
import { denied, type ServiceError, unauthenticated } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import { onPool } from '@bailiwick/store';
import { waiterOf } from '../passwords/imported-lane.ts';
import { type Policy, passwordNotAccepted } from '../passwords/policy.ts';
import type { Account } from '../passwords/queries.ts';
import type { UserRow } from '../users/entities.ts';
import { findUserByEmailKey, settleEmail } from '../users/queries.ts';
import type { AccountDeps } from './deps.ts';

export const wrong = 'email or password is wrong';

/**
 * Exempts users from the policy of their domain. `wrong` says the same for a wrong password as for
 * a user who is not admitted.
 */
export type Exemption = {
  wrong: string;
  admits: (policy: Policy, user: UserRow | undefined, call: Origin) => Promise<boolean>;
};

/** A user whose password was right, with the kinds of second factors that are due. */
export type AuthenticatedUser = { user: UserRow; factors: readonly string[] };

/**
 * The user of this address and password. Throws for everything else, after the same amount of
 * work.
 */
export async function authenticate(
  deps: AccountDeps,
  { email: text, password }: { email: string; password: string },
  call: Call,
  exemption?: Exemption,
): Promise<AuthenticatedUser> {
  const { database, comparePassword, passwordPolicy, throttle } = deps;
  // An invalid address has no account: it takes the same path as an unknown one.
  const written = findEmail(text);
  const email = written && (await settleEmail(database, written));
  const key = email?.key ?? `? ${text.slice(0, 254)}`;
  const policy = await passwordPolicy.of(email?.domain ?? '', call);
  // Compares and counts nothing: the answer is the same for every account and password.
  if (!exemption && policy.tenant !== '' && !policy.lifted)
    throw await failure(
      deps,
      passwordNotAccepted(),
      call,
      text,
      await findUserByEmailKey(onPool(database), key),
    );
  let account: Account | undefined;
  const holds = await throttle.attempt(key, call.caller.ip, async (candidate, until) => {
    account = candidate;
    // In the turn of the account, so that a second guess does not show how long the first one took.
    const guess = { key, account: candidate, password, hidesMatch: exemption !== undefined };
    const isRight = await comparePassword(guess, waiterOf(call, until));
    // Without the exemption a right password counts as a wrong one, so that the count shows none.
    return isRight && (!exemption || exemption.admits(policy, candidate.user, call));
  });
  const { user, factors = [], pendingHash } = account ?? {};
  const isAccepted = holds && (user?.status === 'active' || pendingHash !== undefined);
  if (isAccepted && !exemption && !(await passwordPolicy.admits(policy, user?.id ?? '', call)))
    throw await failure(deps, passwordNotAccepted(), call, text, user);
  if (user && holds && user.status === 'active') return { user, factors };
  const error =
    pendingHash !== undefined && holds
      ? denied('email is not verified', 'EMAIL_NOT_VERIFIED')
      : unauthenticated(exemption?.wrong ?? wrong);
  throw await failure(deps, error, call, text, user);
}

/** Audits an error and returns it. */
export async function failure(
  { refusals }: AccountDeps,
  error: ServiceError,
  call: Call,
  address: string,
  user: UserRow | undefined,
): Promise<ServiceError> {
  const target = {
    Type: user ? 'user' : 'address',
    ID: user?.id ?? '',
    Name: user?.email ?? address,
  };
  const refusal = {
    Tenant: '',
    Action: 'user.sign_in_failed',
    Result: 'failed',
    Code: error.code,
    Targets: [target],
  } as const;
  await refusals.record(
    `sign in ${target.Type} ${target.ID || findEmail(address)?.key}`,
    call,
    refusal,
  );
  return error;
}
