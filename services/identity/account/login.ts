import { notFound, unauthenticated, unavailable } from '@bailiwick/errors';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { type Call, type Handlers } from '@bailiwick/rpc';
import { countSignIn } from '@bailiwick/telemetry';
import { carryMark } from '../federation/queries.ts';
import { beginSession, type NewSession } from '../sessions/begin.ts';
import { endSession } from '../sessions/handlers.ts';
import { userRecord } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { authenticate, wrong } from './authenticate.ts';
import type { AccountDeps } from './deps.ts';

type Login = Pick<Handlers<typeof Account>, 'login' | 'logout' | 'get'>;

export function loginHandlers(deps: AccountDeps): Login {
  const { database, authority } = deps;
  return {
    login: ({ email, password }, call) =>
      countSignIn('password', () => logIn(deps, { email, password }, call)),

    async logout(_request, call) {
      await database.transaction({ tenant: null, row: `user ${call.caller.id}` }, (em) =>
        endSession(em, call, call.caller.credentialId),
      );
      return {};
    },

    async get(_request, { caller }) {
      const [[user], { tenants }] = await Promise.all([
        findUsers(database, [caller.id]),
        authority.listUserTenants({ userId: caller.id }),
      ]);
      if (!user) throw notFound('user');
      const { limitedTo } = caller;
      const shown = tenants.filter(({ id }) => limitedTo === '' || id === limitedTo);
      return {
        user: userRecord(user),
        tenants: shown.map(({ id, slug, name }) => ({ id, slug, name })),
        limitedTo,
        assurance: caller.assurance,
      };
    },
  };
}

/** Opens a session, if the password is right and still is when the user is locked. */
async function logIn(
  deps: AccountDeps,
  { email, password }: { email: string; password: string },
  call: Call,
): Promise<NewSession> {
  const { database, passwords } = deps;
  for (let tries = 0; tries < 3; tries++) {
    const { id, passwordHash } = await authenticate(deps, email, password, call);
    const rehashed = passwords.isOutdated(passwordHash ?? null)
      ? await passwords.hash(password)
      : undefined;
    const session = await database.transaction({ tenant: null, row: `user ${id}` }, async (em) => {
      const user = await lockActive(em, id);
      // The user was disabled or deleted during the check.
      if (!user) throw unauthenticated(wrong);
      // The password or its hash changed during the check: check again, outside this
      // transaction, which holds a connection.
      if (user.passwordHash !== passwordHash) return undefined;
      if (rehashed) {
        await carryMark(em, user.id, user.passwordHash, rehashed);
        user.passwordHash = rehashed;
      }
      const { ip, userAgent } = call.caller;
      return beginSession(em, call, user, {
        authMethod: 'password',
        furtherMethods: [],
        assurance: 'aal1',
        provider: '',
        ssoTenant: '',
        ip,
        userAgent,
      });
    });
    if (session) return session;
  }
  throw unavailable();
}
