import { holdsInTenant, timeOf } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type { Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { tenantRoles } from '../permissions/builtin.ts';
import type { EventKind, TrendKind } from './entities.ts';
import {
  countGroups,
  countInvitations,
  countMembers,
  countRoles,
  countTenants,
  listDays,
  listHours,
  listTrends,
  most,
} from './queries.ts';

/** A number that was counted up to one more than `most`. */
const toCount = (count: number) => ({ value: Math.min(count, most), hasMore: count > most });

/** The permission that each trend requires, as the figure beside it does. */
const trendPermissions: Readonly<Record<TrendKind, string>> = {
  members: 'iam.users.read',
  invitations: 'iam.invitations.read',
  groups: 'iam.groups.read',
  roles: 'iam.roles.read',
  bots: 'iam.bots.read',
  apps: 'iam.apps.read',
};

/** The figures of a tenant and of the platform. */
export const countHandlers: Pick<Handlers<typeof Tenants>, 'getCounts' | 'getTotals'> = {
  async getCounts({ tenant }, { caller, reader }) {
    const ifMay = <T>(permission: string, count: () => Promise<T>): Promise<T | undefined> =>
      holdsInTenant(caller, permission, tenant) ? count() : Promise.resolve(undefined);
    const kinds = (Object.keys(trendPermissions) as TrendKind[]).filter((kind) =>
      holdsInTenant(caller, trendPermissions[kind], tenant),
    );
    const hoursOf = async (kind: EventKind) =>
      (await listHours(reader, tenant, kind)).map(({ start, count }) => ({
        start: timeOf(start),
        count,
      }));
    const [members, invitations, groups, roles, trends, ...events] = await Promise.all([
      ifMay('iam.users.read', () => countMembers(reader, tenant)),
      ifMay('iam.invitations.read', () => countInvitations(reader, tenant)),
      ifMay('iam.groups.read', () => countGroups(reader, tenant)),
      ifMay('iam.roles.read', () => countRoles(reader, tenant)),
      listTrends(reader, tenant, kinds),
      ifMay('iam.users.write', () => listDays(reader, tenant, 'sign_in')),
      ifMay('iam.audit.read', () => listDays(reader, tenant, 'denied')),
      ifMay('iam.users.write', () => hoursOf('sign_in')),
      ifMay('iam.audit.read', () => hoursOf('denied')),
    ]);
    const [signIns, refusals, signInHours, refusalHours] = events;
    return {
      ...(members && {
        members: { active: toCount(members.active), disabled: toCount(members.disabled) },
      }),
      ...(invitations !== undefined && { invitations: toCount(invitations) }),
      ...(groups !== undefined && { groups: toCount(groups) }),
      ...(roles !== undefined && { roles: toCount(roles + tenantRoles.length) }),
      signIns: signIns ?? [],
      refusals: refusals ?? [],
      trends,
      signInHours: signInHours ?? [],
      refusalHours: refusalHours ?? [],
    };
  },

  async getTotals(_request, { reader }) {
    const [{ active, suspended }, signIns, refusals] = await Promise.all([
      countTenants(reader),
      listDays(reader, '', 'sign_in'),
      listDays(reader, '', 'denied'),
    ]);
    return { active: toCount(active), suspended: toCount(suspended), signIns, refusals };
  },
};
