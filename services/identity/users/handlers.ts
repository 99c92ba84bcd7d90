import type { Client } from '@connectrpc/connect';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Directory } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { alreadyExists, denied, notFound, unimplemented } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { type Database, lockName } from '@bailiwick/shared/orm.ts';
import type { PasswordRules } from '../account/password-rules.ts';
import type { Passwords } from '../account/passwords.ts';
import { consumeRivals } from '../account/queries.ts';
import { recordUser } from '../account/records.ts';
import { newUser, UserEntity, type UserRow, userRecord } from './entities.ts';
import { findUserByEmailKey, getUsers } from './queries.ts';

type Deps = { database: Database; authority: Client<typeof Authority>; passwords: Passwords; passwordRules: PasswordRules };

export function usersHandlers({ database, authority, passwords, passwordRules }: Deps): Handlers<typeof Users> {
  /** Who may not read this user learns nothing: a reader of other tenants hears not_found, everybody else 403. */
  async function assertMayRead(userId: string, { caller, allowedBy }: Call): Promise<void> {
    if (allowedBy?.kind === 'platform' || (caller.type === 'user' && caller.id === userId)) return;
    const botTenant = caller.type === 'bot' ? caller.tenant : '';
    const { shared, anywhere } = await authority.mayReadUser({ readerType: caller.type, readerId: caller.id, userId, botTenant });
    if (shared) return;
    throw anywhere ? notFound('user') : denied();
  }

  return {
    async getByEmail({ email }, call) {
      const user = await findUserByEmailKey(database, normaliseEmail(email).key);
      await assertMayRead(user?.id ?? '', call);
      if (!user) throw notFound('user');
      return { user: userRecord(user) };
    },
    async create({ user: draft, password }, call) {
      const email = normaliseEmail(draft?.email ?? '');
      if (password !== undefined) await passwordRules(password, email.address);
      const passwordHash = password === undefined ? null : await passwords.hash(password);
      const user: UserRow = {
        ...newUser(createId('usr'), email, passwordHash, new Date()),
        name: draft?.name ?? '',
        givenName: draft?.givenName ?? '',
        familyName: draft?.familyName ?? '',
        picture: draft?.picture ?? '',
        locale: draft?.locale ?? '',
        externalId: draft?.externalId ?? '',
        metadata: draft?.metadata?.items ?? {},
      };
      await database.transaction(null, async (em) => {
        await lockName(em, `account ${email.key}`);
        if (await em.findOne(UserEntity, { emailKey: email.key })) throw alreadyExists('User.Email has an account already');
        // Whoever was about to register the address finds it taken.
        await consumeRivals(em, email.key);
        em.persist(em.create(UserEntity, user));
        recordUser(em, call, 'user.registered', user);
      });
      return { user: userRecord(user) };
    },
    list: unimplemented,
    listByTenant: unimplemented,
  };
}

/** What the other services may ask. */
export function directoryHandlers({ database }: { database: Database }): Handlers<typeof Directory> {
  return {
    async getUsers({ ids }) {
      const users = await getUsers(database, ids);
      return { users: users.map(userRecord) };
    },
    async findUserByEmail({ email }) {
      const user = await findUserByEmailKey(database, normaliseEmail(email).key);
      return user ? { user: userRecord(user) } : {};
    },
  };
}
