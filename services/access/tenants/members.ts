import type { TenantMembers } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { denied, failedPrecondition, ssoRequired } from '@bailiwick/shared/errors.ts';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import { assertMayConfer, assertMayTouch } from '../decisions/confer.ts';
import { findHeld, owns } from '../decisions/held.ts';
import { rightsOf } from '../decisions/rights.ts';
import { assertUser, type Directory } from '../directory.ts';
import { addGrant } from '../grants/entries.ts';
import { memberRole, ownerRole } from '../roles/builtin.ts';
import { assertPresent } from '../subjects/state.ts';
import { TenantMemberEntity, toTenantMember } from './entities.ts';
import { lockTenant } from './lock.ts';
import { endMembership, recordMembership } from './membership.ts';
import { countOtherOwners, membersOf } from './queries.ts';

type Deps = { database: Database; directory: Directory; pager: Pager };

export function tenantMemberHandlers({
  database,
  directory,
  pager,
}: Deps): Handlers<typeof TenantMembers> {
  return {
    async list({ tenant, page }, { operation }) {
      const binding = [operation.name, tenant];
      const query = pager.read(page, binding);
      const rows = await membersOf(database, tenant, query);
      const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.userId);
      return { page: { items: items.map(toTenantMember), nextCursor } };
    },

    async add({ tenant, userId }, call) {
      await assertUser(directory, userId, call);
      await database.transaction(tenant, async (em) => {
        await assertPresent(em, userId, 'user');
        const { settings } = await lockTenant(em, tenant);
        if (await em.findOne(TenantMemberEntity, { userId })) return;
        const role = settings.defaultRole || memberRole;
        await assertMayConfer(em, call.caller, tenant, [role]);
        const member = em.create(TenantMemberEntity, {
          tenant,
          userId,
          status: 'active',
          source: 'admin',
          joinedAt: new Date(),
        });
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
        // Who is not a member does not learn that there is such a tenant.
        if (!member && call.allowedBy?.kind === 'self') throw denied();
        if (!member) return;
        if (
          call.allowedBy?.kind === 'self' &&
          (await rightsOf(inTransaction(em), call.caller, tenant)).ssoRequired
        )
          throw ssoRequired();
        await assertRemovable(em, call, tenant, userId);
        await endMembership(em, call, member);
      });
      return {};
    },
  };
}

async function assertRemovable(
  em: EntityManager,
  call: Call,
  tenant: string,
  userId: string,
): Promise<void> {
  const run = inTransaction(em);
  // By what is granted and not by what counts at present: a disabled owner is one again when they are enabled.
  if (!owns(await findHeld(run, { subject: userId, tenant, resources: [''] }))) return;
  await assertMayTouch(em, call.caller, tenant, [ownerRole]);
  if ((await countOtherOwners(run, tenant, userId)) === 0)
    throw failedPrecondition('the last owner of a tenant cannot be removed', 'LAST_OWNER');
}
