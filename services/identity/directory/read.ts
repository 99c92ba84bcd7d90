import {
  type Caller,
  holdsInTenant,
  holdsOnPlatform,
  isForAccount,
  normaliseEmail,
  type Origin,
  sessionProof,
} from '@bailiwick/contract';
import { denied, notFound } from '@bailiwick/errors';
import {
  type Call,
  type Handlers,
  inOrderOf,
  type PageQuery,
  type Pager,
  readFound,
  readSearch,
} from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type {
  Users,
  UsersListByTenantRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { type Database, type FoundIds, onPool, type Reader } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { type UserRow, userForReaders, userRecord } from '../users/entities.ts';
import {
  findUserByEmailKey,
  findUsers,
  listUsers,
  searchUsers,
  settleEmail,
} from '../users/queries.ts';

type Deps = { database: Database; authority: PeerClient<typeof Authority>; pager: Pager };

type Reading = Pick<Handlers<typeof Users>, 'getByEmail' | 'get' | 'list' | 'listByTenant'>;

export function readingHandlers(deps: Deps): Reading {
  const { database, pager } = deps;
  return {
    async getByEmail({ email }, call) {
      const user = await findUserByEmailKey(
        onPool(database),
        (await settleEmail(database, normaliseEmail(email))).key,
      );
      return { user: await recordFor(deps, user, call) };
    },

    async get({ userId }, call) {
      const [user] = await findUsers(database, [userId]);
      return { user: await recordFor(deps, user, call) };
    },

    async list({ page, ...request }, { operation, caller, reader }) {
      const binding = [operation.name];
      const record = recordOf(holdsOnPlatform(caller, 'iam.platform.users.write'), caller);
      const search = readSearch(request);
      if (search) {
        const { ids, nextCursor } = await readFound(
          { pager, page, binding, search },
          (criteria, query) => searchUsers(reader, criteria, query),
        );
        return { page: await toFoundPage(reader, { ids, nextCursor }, record) };
      }
      const query = pager.read(page, binding);
      const rows = await listUsers(reader, query);
      return {
        page: toPage(
          pager.cut(rows, query, binding, ({ id }) => id),
          record,
        ),
      };
    },

    async listByTenant(request, call) {
      const { tenant, page } = request;
      const binding = [call.operation.name, tenant];
      const record = recordOf(
        holdsInTenant(call.caller, 'iam.users.write', tenant) ||
          holdsOnPlatform(call.caller, 'iam.platform.users.write'),
        call.caller,
      );
      const search = readSearch(request);
      if (search) {
        const matches = await readFound({ pager, page, binding, search }, (_, query) =>
          searchMembers(deps, request, query, call),
        );
        return { page: await toFoundPage(database, matches, record) };
      }
      const query = pager.read(page, binding);
      const rows = await listMembers(deps, tenant, query, call);
      return {
        page: toPage(
          pager.cut(rows, query, binding, ({ id }) => id),
          record,
        ),
      };
    },
  };
}

/**
 * The record of a user as the caller may see it. If the caller may not read this user, a reader
 * in other tenants gets not_found, any other caller 403.
 */
async function recordFor(
  { authority }: Pick<Deps, 'authority'>,
  user: UserRow | undefined,
  call: Call,
) {
  const userId = user?.id ?? '';
  const isSelf =
    call.caller.type === 'user' && call.caller.id === userId && isForAccount(call.caller);
  if (call.allowedBy?.kind === 'platform' || isSelf) {
    if (!user) throw notFound('user');
    return isSelf || holdsOnPlatform(call.caller, 'iam.platform.users.write')
      ? userRecord(user)
      : userForReaders(user);
  }
  const botTenant = call.caller.type === 'bot' ? call.caller.tenant : '';
  const reader = {
    readerType: call.caller.type,
    readerId: call.caller.id,
    botTenant,
    narrowedTo: call.caller.narrowedTo,
  };
  const { shared, anywhere, manages } = await authority.mayReadUser(
    {
      ...reader,
      ...sessionProof(call.caller),
      userId,
    },
    call,
  );
  if (user && shared) return manages ? userRecord(user) : userForReaders(user);
  throw anywhere ? notFound('user') : denied();
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

const toFoundPage = async (
  reader: Reader,
  { ids, nextCursor }: { ids: readonly string[]; nextCursor: string },
  record: RecordOf,
) => ({
  items: inOrderOf(ids, await findUsers(reader, ids), ({ id }) => id).map(record),
  nextCursor,
});

/** The ids of a page of the members of a tenant that a request searches. */
async function searchMembers(
  { authority }: Pick<Deps, 'authority'>,
  { tenant, query, status, source, from, to, sort, descending }: UsersListByTenantRequest,
  page: PageQuery,
  call: Origin,
): Promise<FoundIds> {
  const { members, last } = await authority.searchMembers(
    {
      tenant,
      query,
      status,
      source,
      ...(from && { from }),
      ...(to && { to }),
      sort,
      descending,
      ...page,
    },
    call,
  );
  return {
    found: members.map(({ userId, after }) => ({ id: userId, after })),
    last: last === '' ? undefined : last,
  };
}

/**
 * The users who are members of a tenant. Members without a user leave no gap: as many more are
 * read.
 */
async function listMembers(
  { database, authority }: Pick<Deps, 'database' | 'authority'>,
  tenant: string,
  { after, limit }: PageQuery,
  call: Origin,
): Promise<UserRow[]> {
  const users: UserRow[] = [];
  for (let last = after; users.length < limit; ) {
    const { userIds } = await authority.listMemberIds({ tenant, after: last, limit }, call);
    users.push(...(await findUsers(database, userIds)));
    if (userIds.length < limit) break;
    last = userIds.at(-1) ?? last;
  }
  return users.slice(0, limit);
}
