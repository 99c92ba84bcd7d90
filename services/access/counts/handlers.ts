import { holdsInTenant } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type { Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import type { Database } from '@bailiwick/store';
import { tenantRoles } from '../permissions/builtin.ts';
import {
  countGroups,
  countInvitations,
  countMembers,
  countRoles,
  countTenants,
  listDays,
  most,
} from './queries.ts';

/** A number that was counted up to one more than `most`. */
const toCount = (count: number) => ({ value: Math.min(count, most), hasMore: count > most });

/** The figures of a tenant and of the platform. */
export function countHandlers({
  database,
}: {
  database: Database;
}): Pick<Handlers<typeof Tenants>, 'getCounts' | 'getTotals'> {
  return {
    async getCounts({ tenant }, { caller }) {
      const ifMay = <T>(permission: string, count: () => Promise<T>): Promise<T | undefined> =>
        holdsInTenant(caller, permission, tenant) ? count() : Promise.resolve(undefined);
      const [members, invitations, groups, roles, signIns, refusals] = await Promise.all([
        ifMay('iam.users.read', () => countMembers(database, tenant)),
        ifMay('iam.invitations.read', () => countInvitations(database, tenant)),
        ifMay('iam.groups.read', () => countGroups(database, tenant)),
        ifMay('iam.roles.read', () => countRoles(database, tenant)),
        ifMay('iam.users.write', () => listDays(database, tenant, 'sign_in')),
        ifMay('iam.audit.read', () => listDays(database, tenant, 'denied')),
      ]);
      return {
        ...(members && {
          members: { active: toCount(members.active), disabled: toCount(members.disabled) },
        }),
        ...(invitations !== undefined && { invitations: toCount(invitations) }),
        ...(groups !== undefined && { groups: toCount(groups) }),
        ...(roles !== undefined && { roles: toCount(roles + tenantRoles.length) }),
        signIns: signIns ?? [],
        refusals: refusals ?? [],
      };
    },

    async getTotals() {
      const [{ active, suspended }, signIns, refusals] = await Promise.all([
        countTenants(database),
        listDays(database, '', 'sign_in'),
        listDays(database, '', 'denied'),
      ]);
      return { active: toCount(active), suspended: toCount(suspended), signIns, refusals };
    },
  };
}
