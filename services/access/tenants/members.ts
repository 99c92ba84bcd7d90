import { type TenantMembers, TenantMemberSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { encodeJson } from '@bailiwick/proto/json/encode.ts';
import { LockMode } from '@mikro-orm/core';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { denied, failedPrecondition } from '@bailiwick/shared/errors.ts';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import { assertMayConfer, assertMayTouch } from '../decisions/confer.ts';
import { rightsOf } from '../decisions/rights.ts';
import { assertUser, type Directory } from '../directory.ts';
import { addGrant, removeGrantsOf } from '../grants/entries.ts';
import { memberRole, ownerRole } from '../roles/builtin.ts';
import { TenantEntity, TenantMemberEntity, type TenantMemberRow, toTenantMember } from './entities.ts';
import { countOtherOwners, membersOf, removeMemberships } from './queries.ts';

type Deps = { database: Database; directory: Directory; pager: Pager };

export function tenantMemberHandlers({ database, directory, pager }: Deps): Handlers<typeof TenantMembers> {
  return {
    async list({ tenant, page }, { operation }) {
      const binding = [operation.name, tenant];
      const query = pager.read(page, binding);
      const rows = await membersOf(database, tenant, { after: query.after, limit: query.limit + 1 });
      const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.userId);
      return { page: { items: items.map(toTenantMember), nextCursor } };
    },

    async add({ tenant, userId }, call) {
      await assertUser(directory, userId, call);
      await database.transaction(tenant, async (em) => {
        const { settings } = await lockTenant(em, tenant);
        if (await em.findOne(TenantMemberEntity, { userId })) return;
        const role = settings.defaultRole || memberRole;
        await assertMayConfer(em, call.caller, tenant, [role]);
        const member = em.create(TenantMemberEntity, { tenant, userId, status: 'active', source: 'admin', joinedAt: new Date() });
        em.persist(member);
        recordMembership(em, call, 'tenant.member_added', member);
        await addGrant(em, call, { tenant, subjectType: 'user', subject: userId, role });
      });
      return {};
    },

    async remove({ tenant, userId }, call) {
      await database.transaction(tenant, async (em) => {
        await lockTenant(em, tenant);
        const member = await em.findOne(TenantMemberEntity, { userId });
        if (!member) return;
        await assertRemovable(em, call, tenant, userId);
        em.remove(member);
        // The row goes first: whoever adds the user to a group meanwhile waits for it and then finds no member.
        await em.flush();
        await removeMemberships(inTransaction(em), tenant, userId);
        await removeGrantsOf(em, tenant, 'user', userId);
        recordMembership(em, call, 'tenant.member_removed', member);
      });
      return {};
    },
  };
}

/**
 * Members of one tenant are changed one after the other: who is the last owner depends on all of them.
 * A tenant that was suspended since the call was allowed refuses it like one that does not exist.
 */
async function lockTenant(em: EntityManager, id: string) {
  const tenant = await em.findOne(TenantEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (tenant?.status !== 'active') throw denied();
  return tenant;
}

async function assertRemovable(em: EntityManager, call: Call, tenant: string, userId: string): Promise<void> {
  const run = inTransaction(em);
  const { roles } = await rightsOf(run, { type: 'user', id: userId }, tenant);
  if (!roles.includes(ownerRole)) return;
  await assertMayTouch(em, call.caller, tenant, [ownerRole]);
  if ((await countOtherOwners(run, tenant, userId)) === 0) throw failedPrecondition('the last owner of a tenant cannot be removed', 'LAST_OWNER');
}

function recordMembership(em: EntityManager, call: Call, type: string, member: TenantMemberRow): void {
  call.outdated.add(`user:${member.userId}`);
  recordChange(em, call, {
    tenant: member.tenant,
    type,
    data: encodeJson(TenantMemberSchema, toTenantMember(member)),
    targets: [{ Type: 'user', ID: member.userId, Name: '' }],
  });
}
