import { unauthenticated, unavailable } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import { countSignIn } from '@bailiwick/process';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { onPool } from '@bailiwick/store';
import { carryMark } from '../federation/queries.ts';
import { waitUntil } from '../passwords/lane.ts';
import { rowOf } from '../rows.ts';
import { beginIfUnchanged, type NewSession } from '../sessions/begin.ts';
import { ownSignIn, type SessionOrigin } from '../sessions/entities.ts';
import { endSession } from '../sessions/handlers.ts';
import { type UserRow } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { authenticate, wrong } from './authenticate.ts';
import { completeLogin } from './complete-login.ts';
import type { AccountDeps } from './deps.ts';
import { beginOrChallenge, type Challenge, openChallenge } from './second-factor.ts';
import { createRecovery } from './sso-recovery.ts';

type Login = Pick<Handlers<typeof Account>, 'login' | 'completeLogin' | 'logout'>;

export function loginHandlers(deps: AccountDeps): Login {
  const { database } = deps;
  const recover = createRecovery(deps);
  return {
    login: (request, call) =>
      countSignIn('password', () =>
        deps.signIns(call.caller.ip, () =>
          request.ssoRecoveryCode === '' ? logIn(deps, request, call) : recover(request, call),
        ),
      ),

    completeLogin: (request, call) =>
      countSignIn('second_factor', () =>
        deps.signIns(call.caller.ip, () => completeLogin(deps, request, call)),
      ),

    async logout(_request, call) {
      await database.transaction({ call, tenant: null, row: rowOf.user(call.caller.id) }, (tx) =>
        endSession(tx, call, { userId: call.caller.id, id: call.caller.credentialId }),
      );
      return {};
    },
  };
}

/**
 * Opens a session, or a challenge if a second factor is due, if the password is right and still is
 * when the session or challenge is stored.
 */
async function logIn(
  deps: AccountDeps,
  { email, password }: { email: string; password: string },
  call: Call,
): Promise<NewSession | Challenge> {
  const { database, passwords } = deps;
  const from = ownSignIn(call, { authMethod: 'password', assurance: 'aal1' });
  const until = waitUntil();
  for (let tries = 0; tries < 3; tries++) {
    const { user, factors } = await authenticate(deps, { email, password }, call);
    const rehashed = passwords.isOutdated(user.passwordHash ?? null)
      ? await passwords.hash(password, { until })
      : undefined;
    const open = (call: Call): Promise<NewSession | Challenge | undefined> =>
      factors.length > 0
        ? openChallenge(onPool(database, call), call, user, { ...from, factors })
        : beginIfUnchanged(deps, call, user, from);
    const unchanged =
      rehashed === undefined
        ? await database.inTurn({ call, row: rowOf.user(user.id) }, open)
        : undefined;
    const opened = unchanged ?? (await openLocked(deps, call, { user, rehashed, from }));
    if (opened) return opened;
  }
  throw unavailable();
}

type Checked = { user: UserRow; rehashed: string | undefined; from: SessionOrigin };

/**
 * Opens a session or a challenge of a user who has changed since the check, or whose hash is
 * renewed. Undefined if the password was changed: it has to be checked again, outside this
 * transaction, which holds a connection.
 */
function openLocked(
  { database }: AccountDeps,
  call: Call,
  { user: { id, passwordHash }, rehashed, from }: Checked,
): Promise<NewSession | Challenge | undefined> {
  return database.transaction({ call, tenant: null, row: rowOf.user(id) }, async (tx) => {
    const user = await lockActive(tx, id);
    // The user was disabled or deleted during the check.
    if (!user) throw unauthenticated(wrong);
    if (user.passwordHash !== passwordHash) return undefined;
    if (rehashed) {
      await carryMark(tx, user.id, user.passwordHash, rehashed);
      user.passwordHash = rehashed;
      // The statements compare the stored user with this one.
      await tx.em.flush();
    }
    // A factor may have been added during the check.
    return beginOrChallenge(tx, call, user, from);
  });
}
