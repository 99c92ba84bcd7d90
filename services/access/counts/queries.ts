import type { Origin } from '@bailiwick/contract';
import type { Database, Reader, Statement } from '@bailiwick/store';
import type { EventKind, TrendKind } from './entities.ts';

/** Counting ends here, so that a call takes as long for a large tenant as for a small one. */
export const most = 10_000;

const members: Statement<MemberNumbers, [tenant: string, limit: number]> = {
  name: 'access.count_members',
  text: `select
           (select count(*)::int from (select from tenant_member where tenant = $1 and status = 'active' limit $2) as found) as active,
           (select count(*)::int from (select from tenant_member where tenant = $1 and status = 'disabled' limit $2) as found) as disabled`,
};

type MemberNumbers = { active: number; disabled: number };

/** The members of a tenant by status, each at most one more than `most`. */
export async function countMembers(reader: Reader, tenant: string): Promise<MemberNumbers> {
  const [row] = await reader.query(members, [tenant, most + 1]);
  return row ?? { active: 0, disabled: 0 };
}

const tenants: Statement<TenantNumbers, [limit: number]> = {
  name: 'access.count_tenants',
  text: `select
           (select count(*)::int from (select from tenant where status = 'active' limit $1) as found) as active,
           (select count(*)::int from (select from tenant where status = 'suspended' limit $1) as found) as suspended`,
};

type TenantNumbers = { active: number; suspended: number };

/** The tenants by status, each at most one more than `most`. */
export async function countTenants(reader: Reader): Promise<TenantNumbers> {
  const [row] = await reader.query(tenants, [most + 1]);
  return row ?? { active: 0, suspended: 0 };
}

type CountStatement = Statement<{ count: number }, [tenant: string, limit: number]>;

const invitations: CountStatement = {
  name: 'access.count_invitations',
  text: `select count(*)::int as count from (
           select from invitation where tenant = $1 and status = 'pending' and expires_at > now() limit $2) as found`,
};
const groups: CountStatement = {
  name: 'access.count_groups',
  text: `select count(*)::int as count from (select from group_entry where tenant = $1 limit $2) as found`,
};
const roles: CountStatement = {
  name: 'access.count_roles',
  text: `select count(*)::int as count from (select from role_entry where tenant = $1 limit $2) as found`,
};

async function countOf(reader: Reader, statement: CountStatement, tenant: string): Promise<number> {
  const [row] = await reader.query(statement, [tenant, most + 1]);
  return row?.count ?? 0;
}

/** The open invitations of a tenant, at most one more than `most`. */
export const countInvitations = (reader: Reader, tenant: string): Promise<number> =>
  countOf(reader, invitations, tenant);

/** The groups of a tenant, at most one more than `most`. */
export const countGroups = (reader: Reader, tenant: string): Promise<number> =>
  countOf(reader, groups, tenant);

/** The roles that a tenant has defined, at most one more than `most`. */
export const countRoles = (reader: Reader, tenant: string): Promise<number> =>
  countOf(reader, roles, tenant);

const days: Statement<{ day: string; count: number }, [tenant: string, kind: string]> = {
  name: 'access.daily_counts',
  text: `select asked.day::date::text as day, coalesce(c.count, 0) as count
         from generate_series((now() at time zone 'UTC')::date - 29, (now() at time zone 'UTC')::date, interval '1 day') as asked (day)
         left join daily_count c on c.tenant = $1 and c.kind = $2 and c.day = asked.day::date order by asked.day`,
};

/** The counts of each of the last 30 days, oldest first. Tenant "" is the platform. */
export const listDays = (
  reader: Reader,
  tenant: string,
  kind: EventKind,
): Promise<Array<{ day: string; count: number }>> => reader.query(days, [tenant, kind]);

const hours: Statement<{ start: Date | string; count: number }, [tenant: string, kind: string]> = {
  name: 'access.hourly_counts',
  text: `select series.hour as start, coalesce(c.count, 0) as count
         from generate_series(date_trunc('hour', now(), 'UTC') - interval '23 hours', date_trunc('hour', now(), 'UTC'), interval '1 hour') as series (hour)
         left join hourly_count c on c.tenant = $1 and c.kind = $2 and c.hour = series.hour order by series.hour`,
};

/** The counts of each of the last 24 hours, oldest first. */
export const listHours = (
  reader: Reader,
  tenant: string,
  kind: EventKind,
): Promise<Array<{ start: Date | string; count: number }>> => reader.query(hours, [tenant, kind]);

const trends: Statement<
  { kind: TrendKind; day: string; count: number },
  [tenant: string, kinds: readonly string[]]
> = {
  name: 'access.trends',
  text: `select k.kind, series.day::date::text as day, coalesce(c.count, 0) as count
         from unnest($2::text[]) as k (kind)
         cross join generate_series((now() at time zone 'UTC')::date - 29, (now() at time zone 'UTC')::date, interval '1 day') as series (day)
         left join daily_count c on c.tenant = $1 and c.kind = k.kind and c.day = series.day::date order by k.kind, series.day`,
};

type Trend = { kind: TrendKind; days: Array<{ day: string; count: number }> };

/** How the records of each kind changed on each of the last 30 days, oldest first. */
export async function listTrends(
  reader: Reader,
  tenant: string,
  kinds: readonly TrendKind[],
): Promise<Trend[]> {
  if (kinds.length === 0) return [];
  const rows = await reader.query(trends, [tenant, kinds]);
  return kinds.map((kind) => ({
    kind,
    days: rows.filter((row) => row.kind === kind).map(({ day, count }) => ({ day, count })),
  }));
}

const sweep: Statement<never, []> = {
  name: 'access.sweep_daily_counts',
  text: `delete from daily_count where day < (now() at time zone 'UTC')::date - 30`,
  across: 'the sweeper covers all tenants',
};

const sweepHours: Statement<never, []> = {
  name: 'access.sweep_hourly_counts',
  text: `delete from hourly_count where hour < now() - interval '2 days'`,
  across: 'the sweeper covers all tenants',
};

/** Deletes the counts that are no longer shown. */
export async function deleteOldCounts(database: Database, call: Origin): Promise<void> {
  await database.write(call, sweep, []);
  await database.write(call, sweepHours, []);
}
