import { holdsInTenant, holdsOnPlatform } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import {
  type Call,
  type Handlers,
  inOrderOf,
  type Pager,
  readFound,
  readSearch,
} from '@bailiwick/pipeline';
import type {
  TenantMembers,
  TenantMembersAddRequest,
  TenantMembersListRequest,
  TenantMembersRemoveRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import type { Database, Limiter } from '@bailiwick/store';
import { assertMayGrant } from '../decisions/delegation.ts';
import { assertUser, type Directory, findDomainTenant } from '../directory.ts';
import { addGrant } from '../grants/entries.ts';
import type { InvitationLimits } from '../limits.ts';
import { memberRole } from '../permissions/builtin.ts';
import { rowOf } from '../rows.ts';
import { assertPresent } from '../subjects/state.ts';
import { memberFields, TenantMemberEntity, type TenantMemberRow } from './entities.ts';
import { lockTenant } from './lock.ts';
import { endMembership, liftBar, startMembership } from './membership.ts';
import { acceptOffer, declineIn, declineOffer, offerMembership, withdrawOffer } from './offers.ts';
import { findMembershipOrOffer, membersOf } from './queries.ts';
import { findMembers, searchMembers } from './search/queries.ts';
import { assertMayEnd, setMemberStatus } from './status.ts';

type Deps = {
  database: Database;
  directory: Directory;
  pager: Pager;
  limiter: Limiter;
  limits: InvitationLimits;
};

export function tenantMemberHandlers(deps: Deps): Handlers<typeof TenantMembers> {
  const { database } = deps;
  return {
    list: (request, call) => listMembers(deps, request, call),

    async add(request, call) {
      await addMember(deps, request, call);
      return {};
    },

    async accept({ tenant }, call) {
      await acceptOffer(deps, tenant, call);
      return {};
    },

    async decline({ tenant }, call) {
      await declineOffer(database, tenant, call);
      return {};
    },

    async disable({ tenant, userId }, call) {
      await database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, (tx) =>
        setMemberStatus(tx, { tenant, userId, status: 'disabled' }, call),
      );
      return {};
    },

    async enable({ tenant, userId }, call) {
      await database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, (tx) =>
        setMemberStatus(tx, { tenant, userId, status: 'active' }, call),
      );
      return {};
    },

    async remove(request, call) {
      await removeMember(deps, request, call);
      return {};
    },
  };
}

async function listMembers(
  { directory, pager }: Deps,
  { tenant, page, withNames, userId, ...request }: TenantMembersListRequest,
  call: Call,
) {
  const { operation, caller, reader } = call;
  const toItems = async (rows: readonly TenantMemberRow[]) => {
    const names = withNames ? await findNames(directory, rows, call) : undefined;
    return rows.map((row) => {
      const user = names?.get(row.userId);
      return { ...memberFields(row), ...(user && { user }) };
    });
  };
  const binding = [operation.name, tenant];
  const withBarred = holdsInTenant(caller, 'iam.users.write', tenant);
  if (userId !== '') {
    const rows = await findMembers(reader, tenant, [userId]);
    const visible = rows.filter(({ status }) => withBarred || status !== 'barred');
    return { page: { items: await toItems(visible), nextCursor: '' } };
  }
  const search = readSearch(request);
  if (search) {
    const list = { pager, page, binding, search };
    const { ids, nextCursor } = await readFound(list, (criteria, query) =>
      searchMembers(reader, tenant, { ...criteria, withBarred, withPending: true }, query),
    );
    const rows = await findMembers(reader, tenant, ids);
    const members = inOrderOf(ids, rows, ({ userId }) => userId);
    return { page: { items: await toItems(members), nextCursor } };
  }
  const query = pager.read(page, binding);
  const rows = await membersOf(reader, tenant, { ...query, withBarred });
  const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.userId);
  return { page: { items: await toItems(items), nextCursor } };
}

/**
 * The names and addresses of members, by user. The tenant does not learn those of users who have
 * not accepted or who have left.
 */
async function findNames(
  directory: Directory,
  rows: readonly TenantMemberRow[],
  call: Call,
): Promise<ReadonlyMap<string, { name: string; email: string }>> {
  const visible = rows.filter(({ status }) => status === 'active' || status === 'disabled');
  const ids = visible.map(({ userId }) => userId);
  const { users } =
    ids.length > 0
      ? await directory.getUsers({ ids }, call, { signal: call.signal })
      : { users: [] };
  return new Map(users.map(({ id, name, email }) => [id, { name, email }]));
}

/**
 * Adds a user as a member without consent if it is the caller itself, or if the platform or the
 * tenant's verified domain vouches for it. Otherwise offers the membership.
 */
async function addMember(
  deps: Deps,
  { tenant, userId }: TenantMembersAddRequest,
  call: Call,
): Promise<void> {
  const { caller } = call;
  const [user, isVouchedFor] = await Promise.all([
    assertUser(deps.directory, userId, call),
    needsNoConsent(deps.directory, { tenant, userId }, call),
  ]);
  const adder =
    caller.type !== 'user' || isVouchedFor
      ? undefined
      : await assertUser(deps.directory, caller.id, call);
  await deps.database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, async (tx) => {
    await assertPresent(tx, userId, 'user');
    const { name, settings } = await lockTenant(tx, tenant);
    if ((await tx.em.count(TenantMemberEntity, { tenant, userId, status: { $ne: 'barred' } })) > 0)
      return;
    const role = settings.defaultRole || memberRole;
    await assertMayGrant(tx, caller, tenant, [role]);
    await liftBar(tx, { tenant, userId });
    if (!isVouchedFor)
      return offerMembership(tx, deps, { tenant, tenantName: name, user, adder }, call);
    await startMembership(tx, { tenant, userId, source: 'admin' });
    await addGrant(tx, call, { tenant, subjectType: 'user', subject: userId, role });
  });
}

async function needsNoConsent(
  directory: Directory,
  { tenant, userId }: { tenant: string; userId: string },
  call: Call,
): Promise<boolean> {
  if (
    holdsOnPlatform(call.caller, 'iam.platform.users.write') ||
    (call.caller.type === 'user' && call.caller.id === userId)
  )
    return true;
  return (await findDomainTenant(directory, userId, call)) === tenant;
}

async function removeMember(
  { database }: Deps,
  { tenant, userId }: TenantMembersRemoveRequest,
  call: Call,
): Promise<void> {
  const isSelf = call.allowedBy?.kind === 'self';
  if (isSelf) await assertMemberOrOffered(database, tenant, userId);
  // A call about oneself queues by user: it must not delay an administrator who is about to remove
  // the user.
  await database.transaction(
    { call, tenant, row: isSelf ? rowOf.member(tenant, userId) : rowOf.tenant(tenant) },
    async (tx) => {
      if (isSelf) await assertPresent(tx, userId, 'user');
      const { status } = await lockTenant(tx, tenant, isSelf);
      const member = await tx.em.findOne(TenantMemberEntity, { userId });
      // By caller and not by the rule that allowed the call: a disabled user can have
      // iam.users.write on the platform.
      const isOwn = call.caller.type === 'user' && call.caller.id === userId;
      if (member && !(isOwn && member.status === 'barred')) {
        await assertMayEnd(tx, call, {
          tenant,
          userId,
          what: 'removed',
          isSuspended: status === 'suspended',
        });
        return endMembership(tx, member, { isBarred: isOwn && member.status === 'disabled' });
      }
      if (!isSelf) {
        // An earlier call may have ended the membership.
        call.invalidates.add(`user:${userId}`);
        return withdrawOffer(tx, tenant, userId);
      }
      // A user who was not even added must not learn that the tenant exists.
      if (!(await declineIn(tx, tenant, call))) throw denied();
    },
  );
}

/** Checked before the transaction: strangers must not use up a tenant's transaction slots. */
async function assertMemberOrOffered(
  database: Database,
  tenant: string,
  userId: string,
): Promise<void> {
  const { isMember, offer } = await findMembershipOrOffer(database, tenant, userId);
  if (!isMember && offer === null) throw denied();
}
