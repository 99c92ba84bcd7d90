import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Directory } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { alreadyExists, denied, notFound } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { type Database, lockName } from '@bailiwick/shared/orm.ts';
import type { PageQuery, Pager } from '@bailiwick/shared/page.ts';
import type { Client } from '@connectrpc/connect';
import type { Passwords } from '../account/passwords.ts';
import { consumeRivals } from '../account/queries.ts';
import { recordUser } from '../account/records.ts';
import { botRecord } from '../bots/entities.ts';
import { findBots, findBotsAnywhere } from '../bots/queries.ts';
import { identitiesHandlers } from '../federation/identities.ts';
import { changeHandlers } from './change.ts';
import { deletionHandler } from './delete.ts';
import { newUser, UserEntity, type UserRow, userRecord } from './entities.ts';
import { findUserByEmailKey, findUsers, listUsers } from './queries.ts';

type Deps = {
  database: Database;
  authority: Client<typeof Authority>;
  passwords: Passwords;
  pager: Pager;
  log: Log;
};

export function usersHandlers(deps: Deps): Handlers<typeof Users> {
  const { database, authority, passwords, pager } = deps;
  /** Who may not read this user learns nothing: a reader of other tenants hears not_found, everybody else 403. */
  async function assertMayRead(userId: string, { caller, allowedBy }: Call): Promise<void> {
    if (allowedBy?.kind === 'platform' || (caller.type === 'user' && caller.id === userId)) return;
    const botTenant = caller.type === 'bot' ? caller.tenant : '';
    const reader = {
      readerType: caller.type,
      readerId: caller.id,
      botTenant,
      narrowedTo: caller.narrowedTo,
      ssoTenant: caller.ssoTenant,
    };
    const { shared, anywhere } = await authority.mayReadUser({ ...reader, userId });
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
        if (await em.findOne(UserEntity, { emailKey: email.key }))
          throw alreadyExists('User.Email has an account already');
        // Whoever was about to register the address finds it taken.
        await consumeRivals(em, email.key);
        em.persist(em.create(UserEntity, user));
        recordUser(em, call, 'user.registered', user);
      });
      return { user: userRecord(user) };
    },

    async get({ userId }, call) {
      const [user] = await findUsers(database, [userId]);
      await assertMayRead(user?.id ?? '', call);
      if (!user) throw notFound('user');
      return { user: userRecord(user) };
    },

    async list({ page }, { operation }) {
      const binding = [operation.name];
      const query = pager.read(page, binding);
      const rows = await listUsers(database, query);
      return { page: toPage(pager, rows, query, binding) };
    },

    async listByTenant({ tenant, page }, { operation }) {
      const binding = [operation.name, tenant];
      const query = pager.read(page, binding);
      const rows = await listMembers(deps, tenant, query);
      return { page: toPage(pager, rows, query, binding) };
    },

    ...changeHandlers(deps),
    ...deletionHandler(deps),
    ...identitiesHandlers(deps),
  };
}

function toPage(
  pager: Pager,
  rows: readonly UserRow[],
  query: PageQuery,
  binding: readonly string[],
) {
  const { items, nextCursor } = pager.cut(rows, query, binding, ({ id }) => id);
  return { items: items.map(userRecord), nextCursor };
}

/** The users who are members of a tenant. Members that are no users any more leave no gap: as many as are missing are asked for anew. */
async function listMembers(
  { database, authority }: Pick<Deps, 'database' | 'authority'>,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<UserRow[]> {
  const users: UserRow[] = [];
  for (let last = after; users.length < limit; ) {
    const { userIds } = await authority.listMemberIds({ tenant, after: last, limit });
    users.push(...(await findUsers(database, userIds)));
    if (userIds.length < limit) break;
    last = userIds.at(-1) ?? last;
  }
  return users.slice(0, limit);
}

/** What the other services may ask. */
export function directoryHandlers({
  database,
}: {
  database: Database;
}): Handlers<typeof Directory> {
  return {
    async getUsers({ ids }) {
      const users = await findUsers(database, ids);
      return { users: users.map(userRecord) };
    },
    async findUserByEmail({ email }) {
      const user = await findUserByEmailKey(database, normaliseEmail(email).key);
      return user ? { user: userRecord(user) } : {};
    },
    async getBots({ tenant, ids }) {
      const bots =
        tenant === ''
          ? await findBotsAnywhere(database, ids)
          : await findBots(database, tenant, ids);
      return { bots: bots.map(botRecord) };
    },
  };
}
