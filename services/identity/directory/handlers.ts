import { type Caller, holdsInTenant, holdsOnPlatform } from '@bailiwick/call';
import { type Database, lockName } from '@bailiwick/database';
import { alreadyExists, denied, notFound } from '@bailiwick/errors';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Directory } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { type Call, type Handlers, type PageQuery, type Pager } from '@bailiwick/rpc';
import { type Log } from '@bailiwick/telemetry';
import { createId, normaliseEmail } from '@bailiwick/values';
import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { botRecord } from '../bots/entities.ts';
import { findBots, findBotsAnywhere } from '../bots/queries.ts';
import { identitiesHandlers } from '../federation/identities.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { Throttle } from '../passwords/throttle.ts';
import {
  newUser,
  UserEntity,
  type UserRow,
  userForReaders,
  userRecord,
} from '../users/entities.ts';
import {
  consumeRivals,
  findUserByEmailKey,
  findUsers,
  listUsers,
  settleEmail,
} from '../users/queries.ts';
import { recordUser } from '../users/records.ts';
import { changeHandlers } from './change.ts';
import { deletionHandler } from './delete.ts';

type Deps = {
  database: Database;
  authority: Client<typeof Authority>;
  passwords: Passwords;
  throttle: Throttle;
  pager: Pager;
  log: Log;
};

export function usersHandlers(deps: Deps): Handlers<typeof Users> {
  const { database, authority, passwords, pager } = deps;
  /**
   * The record of a user as the caller may see it. If the caller may not read this user, a reader
   * in other tenants gets not_found, any other caller 403.
   */
  async function recordFor(user: UserRow | undefined, { caller, allowedBy }: Call) {
    const userId = user?.id ?? '';
    const isSelf = caller.type === 'user' && caller.id === userId;
    if (allowedBy?.kind === 'platform' || isSelf) {
      if (!user) throw notFound('user');
      return isSelf || holdsOnPlatform(caller, 'iam.platform.users.write')
        ? userRecord(user)
        : userForReaders(user);
    }
    const botTenant = caller.type === 'bot' ? caller.tenant : '';
    const reader = {
      readerType: caller.type,
      readerId: caller.id,
      botTenant,
      narrowedTo: caller.narrowedTo,
    };
    const { ssoTenant, limitedTo } = caller;
    const { shared, anywhere, manages } = await authority.mayReadUser({
      ...reader,
      ssoTenant,
      limitedTo,
      userId,
    });
    if (user && shared) return manages ? userRecord(user) : userForReaders(user);
    throw anywhere ? notFound('user') : denied();
  }

  return {
    async getByEmail({ email }, call) {
      const user = await findUserByEmailKey(
        database,
        (await settleEmail(database, normaliseEmail(email))).key,
      );
      return { user: await recordFor(user, call) };
    },
    async create({ user: draft, password }, call) {
      const email = await settleEmail(database, normaliseEmail(draft?.email ?? ''));
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
      await database.transaction({ tenant: null, row: `account ${email.key}` }, async (em) => {
        await lockName(em, `account ${email.key}`);
        if (await em.findOne(UserEntity, { emailKey: email.key }))
          throw alreadyExists('User.Email has an account already');
        // Voids pending registrations of the address.
        await consumeRivals(em, email.key);
        em.persist(em.create(UserEntity, user));
        recordUser(em, call, 'user.registered', user);
      });
      return { user: userRecord(user) };
    },

    async get({ userId }, call) {
      const [user] = await findUsers(database, [userId]);
      return { user: await recordFor(user, call) };
    },

    async list({ page }, { operation, caller }) {
      const binding = [operation.name];
      const query = pager.read(page, binding);
      const rows = await listUsers(database, query);
      const record = recordOf(holdsOnPlatform(caller, 'iam.platform.users.write'), caller);
      return {
        page: toPage(
          pager.cut(rows, query, binding, ({ id }) => id),
          record,
        ),
      };
    },

    async listByTenant({ tenant, page }, { operation, caller }) {
      const binding = [operation.name, tenant];
      const query = pager.read(page, binding);
      const rows = await listMembers(deps, tenant, query);
      const record = recordOf(
        holdsInTenant(caller, 'iam.users.write', tenant) ||
          holdsOnPlatform(caller, 'iam.platform.users.write'),
        caller,
      );
      return {
        page: toPage(
          pager.cut(rows, query, binding, ({ id }) => id),
          record,
        ),
      };
    },

    ...changeHandlers(deps),
    ...deletionHandler(deps),
    ...identitiesHandlers(deps),
  };
}

type RecordOf = (user: UserRow) => ReturnType<typeof userRecord>;

/** The record of a user in a list. Users always see all of their own record. */
const recordOf =
  (manages: boolean, caller: Caller): RecordOf =>
  (user) =>
    manages || (caller.type === 'user' && caller.id === user.id)
      ? userRecord(user)
      : userForReaders(user);

const toPage = (
  { items, nextCursor }: { items: readonly UserRow[]; nextCursor: string },
  record: RecordOf,
) => ({ items: items.map(record), nextCursor });

/**
 * The users who are members of a tenant. Members without a user leave no gap: as many more are
 * read.
 */
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

type DirectoryDeps = { database: Database; domainOwner: Pick<Client<typeof DomainOwner>, 'find'> };

/** The Directory operations, for the other services. */
export function directoryHandlers({
  database,
  domainOwner,
}: DirectoryDeps): Handlers<typeof Directory> {
  return {
    async getUsers({ ids }) {
      const users = await findUsers(database, ids);
      return { users: users.map(userRecord) };
    },
    async findUserByEmail({ email }) {
      const user = await findUserByEmailKey(
        database,
        (await settleEmail(database, normaliseEmail(email))).key,
      );
      return user ? { user: userRecord(user) } : {};
    },
    async findDomainTenant({ userId }, { signal }) {
      const [user] = await findUsers(database, [userId]);
      if (!user?.emailVerified || user.status !== 'active') return { tenant: '' };
      const { tenant } = await domainOwner
        .find({ domain: normaliseEmail(user.email).domain }, { signal })
        .catch((error: unknown) => {
          // During an upgrade, sso may be an older version that does not accept this call from
          // identity.
          if (error instanceof ConnectError && error.code === Code.PermissionDenied)
            return { tenant: '' };
          throw error;
        });
      return { tenant };
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
