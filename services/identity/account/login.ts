import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { denied, notFound, ServiceError, unauthenticated } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { homeNetwork } from '@bailiwick/shared/limits.ts';
import { recordRefusal } from '@bailiwick/shared/outbox.ts';
import { createToken, tokenHash } from '@bailiwick/shared/tokens.ts';
import { SessionEntity, sessionRecord } from '../sessions/entities.ts';
import { endSession } from '../sessions/handlers.ts';
import { type UserRow, userRecord } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { findUserByEmailKey, getUsers } from '../users/queries.ts';
import type { AccountDeps } from './deps.ts';
import { findNewestRegistration, type PendingRegistration, recordSuccess } from './queries.ts';
import { recordUser } from './records.ts';

const absoluteMs = 30 * 24 * 60 * 60 * 1000;

type Login = Pick<Handlers<typeof Account>, 'login' | 'logout' | 'get'>;

export function loginHandlers({ database, passwords, authority, throttle }: AccountDeps): Login {
  /** The user of this address and password. Throws, after the same work, for everything else. */
  async function authenticate(text: string, password: string, call: Call): Promise<UserRow> {
    const key = emailKey(text) ?? `? ${text.slice(0, 254)}`;
    let user: UserRow | undefined;
    let pending: PendingRegistration | undefined;
    const holds = await throttle.attempt(key, call.caller.ip, async () => {
      user = await findUserByEmailKey(database, key);
      pending = user ? undefined : await findNewestRegistration(database, key);
      return passwords.verify(user?.passwordHash ?? pending?.password_hash, password);
    });
    if (user && holds && user.status === 'active') return user;
    const error = pending && holds ? denied('email is not verified', 'EMAIL_NOT_VERIFIED') : unauthenticated('email or password is wrong');
    await auditFailure(call, error, user, text);
    throw error;
  }

  function auditFailure(call: Call, error: ServiceError, user: UserRow | undefined, address: string): Promise<void> {
    const target = { Type: user ? 'user' : 'address', ID: user?.id ?? '', Name: user?.email ?? address };
    return database.transaction(null, async (em) =>
      recordRefusal(em, call, { Tenant: '', Action: 'user.sign_in_failed', Result: 'failed', Code: error.code, Targets: [target] }),
    );
  }

  return {
    async login({ email, password }, call) {
      const { id, passwordHash } = await authenticate(email, password, call);
      const rehashed = passwords.isOutdated(passwordHash ?? null) ? await passwords.hash(password) : undefined;
      const token = createToken('session');
      const now = new Date();
      return database.transaction(null, async (em) => {
        const user = await lockActive(em, id);
        // Disabled, deleted or given another password while this one was being checked.
        const holds = user && (user.passwordHash === passwordHash || (await passwords.verify(user.passwordHash, password)));
        if (!holds) throw unauthenticated('email or password is wrong');
        const session = em.create(SessionEntity, {
          id: createId('ses'),
          userId: user.id,
          tokenHash: tokenHash(token),
          authMethod: 'password',
          provider: '',
          ip: call.caller.ip,
          userAgent: call.caller.userAgent,
          createdAt: now,
          lastSeenAt: now,
          expiresAt: new Date(now.getTime() + absoluteMs),
        });
        em.persist(session);
        if (rehashed && user.passwordHash === passwordHash) user.passwordHash = rehashed;
        await recordSuccess(em, user.emailKey, homeNetwork(call.caller.ip));
        user.lastLoginAt = now;
        const caller = { ...call.caller, type: 'user', id: user.id, credentialId: session.id };
        recordUser(em, { ...call, caller }, 'user.signed_in', user);
        return { token, session: sessionRecord(session, session.id), user: userRecord(user) };
      });
    },

    async logout(_request, call) {
      await database.transaction(null, (em) => endSession(em, call, call.caller.credentialId));
      return {};
    },

    async get(_request, { caller }) {
      const [[user], { tenants }] = await Promise.all([getUsers(database, [caller.id]), authority.listUserTenants({ userId: caller.id })]);
      if (!user) throw notFound('user');
      return { user: userRecord(user), tenants: tenants.map(({ id, slug, name }) => ({ id, slug, name })) };
    },
  };
}

// A text that is no address has no account: it takes the same way as an unknown one.
function emailKey(text: string): string | undefined {
  try {
    return normaliseEmail(text).key;
  } catch {
    return undefined;
  }
}
