import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { denied, notFound, ServiceError, unauthenticated } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { recordChange, recordRefusal } from '@bailiwick/shared/outbox.ts';
import { createToken, tokenHash } from '@bailiwick/shared/tokens.ts';
import { SessionEntity, sessionRecord } from '../sessions/entities.ts';
import { UserEntity, type UserRow, userRecord } from '../users/entities.ts';
import { findUserByEmailKey, getUsers } from '../users/queries.ts';
import type { AccountDeps } from './deps.ts';
import { findNewestRegistration } from './queries.ts';
import { recordUser } from './register.ts';

const absoluteMs = 30 * 24 * 60 * 60 * 1000;

type Login = Pick<Handlers<typeof Account>, 'login' | 'logout' | 'get'>;

export function loginHandlers({ database, passwords, authority }: AccountDeps): Login {
  /** The user of this address and password. Throws, after the same work, for everything else. */
  async function authenticate(text: string, password: string, call: Call): Promise<UserRow> {
    const key = emailKey(text);
    const user = key === undefined ? undefined : await findUserByEmailKey(database, key);
    const pending = user || key === undefined ? undefined : await findNewestRegistration(database, key);
    const holds = await passwords.verify(user?.passwordHash ?? pending?.password_hash, password);
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
      const { id } = await authenticate(email, password, call);
      const token = createToken('session');
      const now = new Date();
      return database.transaction(null, async (em) => {
        const user = await em.findOne(UserEntity, { id, status: 'active' });
        // Disabled or deleted while the password was being checked.
        if (!user) throw unauthenticated('email or password is wrong');
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
        user.lastLoginAt = now;
        const caller = { ...call.caller, type: 'user', id: user.id, credentialId: session.id };
        recordUser(em, { ...call, caller }, 'user.signed_in', user);
        return { token, session: sessionRecord(session, session.id), user: userRecord(user) };
      });
    },

    async logout(_request, call) {
      await database.transaction(null, async (em) => {
        const ended = await em.nativeDelete(SessionEntity, { id: call.caller.credentialId, userId: call.caller.id });
        if (ended === 0) return;
        const targets = [{ Type: 'session', ID: call.caller.credentialId, Name: '' }];
        recordChange(em, call, { tenant: '', type: 'session.revoked', data: { ID: call.caller.credentialId, UserID: call.caller.id }, targets });
      });
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
