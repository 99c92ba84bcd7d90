import { onPool } from '@bailiwick/database';
import { denied, notFound, ServiceError, unauthenticated, unavailable } from '@bailiwick/errors';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { type Call, type Handlers } from '@bailiwick/rpc';
import { countSignIn } from '@bailiwick/telemetry';
import { findEmail } from '@bailiwick/values';
import { carryMark } from '../federation/queries.ts';
import { ssoRequired } from '../passwords/policy.ts';
import { beginSession } from '../sessions/begin.ts';
import { endSession } from '../sessions/handlers.ts';
import { type UserRow, userRecord } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { findUserByEmailKey, findUsers, settleEmail } from '../users/queries.ts';
import type { AccountDeps } from './deps.ts';
import { findNewestRegistration, type PendingRegistration } from './queries.ts';

const wrong = 'email or password is wrong';

type Login = Pick<Handlers<typeof Account>, 'login' | 'logout' | 'get'>;

export function loginHandlers({
  database,
  passwords,
  passwordPolicy,
  authority,
  throttle,
  refusals,
}: AccountDeps): Login {
  /**
   * The user of this address and password. Throws for everything else, after the same amount of
   * work.
   */
  async function authenticate(text: string, password: string, call: Call): Promise<UserRow> {
    // An invalid address has no account: it takes the same path as an unknown one.
    const written = findEmail(text);
    const email = written && (await settleEmail(database, written));
    const key = email?.key ?? `? ${text.slice(0, 254)}`;
    const policy = await passwordPolicy.of(email?.domain ?? '');
    // Compares and counts nothing: the answer is the same for every account and password.
    if (policy.tenant !== '' && !policy.lifted)
      throw await failure(ssoRequired(), call, text, await findUserByEmailKey(database, key));
    let user: UserRow | undefined;
    let pending: PendingRegistration | undefined;
    const holds = await throttle.attempt(key, call.caller.ip, async () => {
      user = await findUserByEmailKey(database, key);
      pending = user ? undefined : await findNewestRegistration(onPool(database), key);
      return passwords.verify(user?.passwordHash ?? pending?.password_hash, password);
    });
    const known = holds && (user?.status === 'active' || pending !== undefined);
    if (known && !(await passwordPolicy.admits(policy, user?.id ?? '')))
      throw await failure(ssoRequired(), call, text, user);
    if (user && holds && user.status === 'active') return user;
    const error =
      pending && holds
        ? denied('email is not verified', 'EMAIL_NOT_VERIFIED')
        : unauthenticated(wrong);
    throw await failure(error, call, text, user);
  }

  /** Audits an error and returns it. */
  async function failure(
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

  async function login(email: string, password: string, call: Call) {
    for (let tries = 0; tries < 3; tries++) {
      const { id, passwordHash } = await authenticate(email, password, call);
      const rehashed = passwords.isOutdated(passwordHash ?? null)
        ? await passwords.hash(password)
        : undefined;
      const session = await database.transaction(
        { tenant: null, row: `user ${id}` },
        async (em) => {
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
            provider: '',
            ssoTenant: '',
            ip,
            userAgent,
          });
        },
      );
      if (session) return session;
    }
    throw unavailable();
  }

  return {
    login: ({ email, password }, call) =>
      countSignIn('password', () => login(email, password, call)),

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
      };
    },
  };
}
