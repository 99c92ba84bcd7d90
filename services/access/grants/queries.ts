import type { PageQuery } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Reader, Run, Statement } from '@bailiwick/store';
import { isInReach, type Reach, type ReachValues, reachValues } from '../decisions/session.ts';
import { hasPermission, platformRoles, tenantRoles } from '../permissions/builtin.ts';
import type { GrantRow, SubjectType } from './entities.ts';

/** A role of a user in the whole tenant, without an end. */
export type RoleOfUser = { id: string; userId: string; role: string; unasked: boolean };

// The order of the rows is that of their locks. A row that another transaction deletes is waited for.
const addRoles: Statement<
  { id: string },
  [
    tenant: string,
    ids: string[],
    userIds: string[],
    roles: string[],
    unasked: boolean[],
    createdBy: string,
    createdAt: Date,
  ]
> = {
  name: 'access.add_roles',
  text: `insert into grant_entry (tenant, id, subject_type, subject, role, resource, unasked, created_by, created_at)
         select $1, id, 'user', user_id, role, '', unasked, $6, $7
         from unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) as g (id, user_id, role, unasked)
         order by user_id, role
         on conflict (tenant, subject_type, subject, role, resource) do nothing returning id`,
};

type NewRoles = {
  tenant: string;
  roles: readonly RoleOfUser[];
  createdBy: string;
  createdAt: Date;
};

/** Adds the grants that do not exist yet, and returns their ids. */
export async function addNewRoles(
  run: Run,
  { tenant, roles, createdBy, createdAt }: NewRoles,
): Promise<Set<string>> {
  const rows = await run(addRoles, [
    tenant,
    roles.map(({ id }) => id),
    roles.map(({ userId }) => userId),
    roles.map(({ role }) => role),
    roles.map(({ unasked }) => unasked),
    createdBy,
    createdAt,
  ]);
  return new Set(rows.map(({ id }) => id));
}

const grantColumns =
  'g.tenant, g.id, g.role, g.resource, g.expires_at as "expiresAt", g.created_at as "createdAt"';
const columns = `${grantColumns}, g.created_by as "createdBy"`;

/** The grants that a list shows: of one subject, of one role, or of both. "" selects all. */
export type GrantSelection = { subject: string; role: string };

// Each selection is a statement of its own, so that it reads the range of one index.
const ofAll = `$5::text = '' and $6::text = ''`;
const ofSubject = `g.subject = $5 and ($6::text = '' or g.role = $6)`;
const ofRole = `$5::text = '' and g.role = $6`;

const selectedBy = ({ subject, role }: GrantSelection) => {
  if (subject !== '') return 'subject';
  return role === '' ? 'all' : 'role';
};

// One look for each row of the page: a join may read all groups of the tenant.
const pageOfTenant = (condition: string) => `select ${columns},
           coalesce((select e.path from group_entry e where g.subject_type = 'group' and e.tenant = g.tenant and e.key = g.subject), g.subject) as subject
         from grant_entry g where g.tenant = $1 and g.subject_type = $2 and g.id > $3 and ${condition} order by g.id limit $4`;

type ListValues = [
  tenant: string,
  subjectType: string,
  after: string,
  limit: number,
  subject: string,
  role: string,
];
type GrantList = Statement<GrantRow, ListValues>;

const grantsOfTenant: Record<ReturnType<typeof selectedBy>, GrantList> = {
  all: { name: 'access.grants_of_tenant', text: pageOfTenant(ofAll) },
  subject: { name: 'access.grants_of_subject', text: pageOfTenant(ofSubject) },
  role: { name: 'access.grants_of_role', text: pageOfTenant(ofRole) },
};

// Each half has its own limit, so that a page reads one page of either index range. A tenant's
// reader does not see who made a platform grant: that may be a user of another tenant.
const pageReachingTenant = (condition: string) => `(${pageOfTenant(condition)})
         union all
         (select ${grantColumns}, '' as "createdBy", g.subject from grant_entry g
          where g.tenant = '' and g.subject_type = $2 and g.id > $3 and (g.expires_at is null or g.expires_at > now())
            and ${condition}
            and not exists (select 1 from subject_state s where s.subject = g.subject and s.state in ('disabled', 'deleted'))
            and coalesce((select m.status from tenant_member m where m.tenant = $1 and m.user_id = g.subject), 'active') = 'active'
          order by g.id limit $4)
         order by id limit $4`;

const grantsReachingTenant: Record<ReturnType<typeof selectedBy>, GrantList> = {
  all: { name: 'access.grants_reaching_tenant', text: pageReachingTenant(ofAll) },
  subject: { name: 'access.grants_of_subject_reaching', text: pageReachingTenant(ofSubject) },
  role: { name: 'access.grants_of_role_reaching', text: pageReachingTenant(ofRole) },
};

/** Which grants a list is about. `tenant`: "" is the platform. */
export type GrantListing = GrantSelection & {
  tenant: string;
  subjectType: SubjectType;
  /** Whether to add the platform grants that are effective in the tenant now. */
  withPlatform: boolean;
};

/** The grants of one kind of subject in a tenant, or on the platform. */
export function grantsIn(
  reader: Reader,
  { tenant, subjectType, subject, role, withPlatform }: GrantListing,
  { after, limit }: PageQuery,
): Promise<GrantRow[]> {
  const statements = withPlatform ? grantsReachingTenant : grantsOfTenant;
  const statement = statements[selectedBy({ subject, role })];
  return reader.query(statement, [tenant, subjectType, after, limit, subject, role]);
}

// A user's grants are in several tenants: the last parameters say which of them the caller may see.
// A right to read grants in every tenant does not include the platform's grants.
const grantsOfUser: Statement<
  GrantRow,
  [userId: string, after: string, limit: number, ...reach: ReachValues, onPlatform: boolean]
> = {
  name: 'access.grants_of_user',
  text: `select ${columns}, g.subject from grant_entry g
         where g.subject = $1 and g.subject_type = 'user' and g.id > $2
           and ((g.tenant = '' and $9) or ${isInReach('g.tenant')})
         order by g.id limit $3`,
  across: "lists the user's own grants, in the tenants that the caller may see",
};

/**
 * The direct grants of a user: in the tenants within reach, and on the platform if `onPlatform`.
 */
export function grantsOf(
  database: Database,
  userId: string,
  page: PageQuery,
  reach: Reach,
  onPlatform: boolean,
): Promise<GrantRow[]> {
  return database.query(grantsOfUser, [
    userId,
    page.after,
    page.limit,
    ...reachValues(reach),
    onPlatform,
  ]);
}

const takesRoom = `g.resource <> '' and (g.expires_at is null or g.expires_at > now())`;

const grantsThere: Statement<
  { ofTenant: number; ofSubject: number },
  [tenant: string, subjectType: string, subject: string, most: number]
> = {
  name: 'access.count_grants',
  text: `select (select count(*)::int from (select 1 from grant_entry g where g.tenant = $1 and ${takesRoom} limit $4) counted) as "ofTenant",
           (select count(*)::int from (select 1 from grant_entry g
             where g.tenant = $1 and g.subject_type = $2 and g.subject = $3 and ${takesRoom} limit $4) counted) as "ofSubject"`,
};

/**
 * The number of unexpired grants on resources, in a tenant and of one subject in it. Counts up to
 * `most`.
 */
export async function countGrants(
  run: Run,
  tenant: string,
  subjectType: SubjectType,
  subject: string,
  most: number,
): Promise<{ ofTenant: number; ofSubject: number }> {
  const [row] = await run(grantsThere, [tenant, subjectType, subject, most]);
  return row ?? { ofTenant: 0, ofSubject: 0 };
}

/** At most this many operators get a mail. */
const maxOperators = 50;

/** The roles whose holders can take another's role on the platform away. */
const rolesOfGranters = [...tenantRoles, ...platformRoles]
  .filter((role) => hasPermission(role, 'iam.platform.grants.write'))
  .map(({ slug }) => slug);

const operators: Statement<
  { subject: string; all: number },
  [granting: readonly string[], limit: number]
> = {
  name: 'access.operators',
  text: `select g.subject, count(*) over ()::int as "all" from grant_entry g
         where g.tenant = '' and g.subject_type = 'user' and g.resource = '' and (g.expires_at is null or g.expires_at > now())
           and not exists (select from subject_state s where s.subject = g.subject and s.state in ('disabled', 'deleted'))
         group by g.subject
         order by bool_or(g.role = any ($1)) desc, g.subject limit $2`,
};

/** The operators who get a mail, and the number of all. */
export type Operators = { ids: string[]; all: number };

/**
 * The users with a role on the whole platform who get a mail: those first who can take such roles
 * away, and those before others who have been users for longer.
 */
export async function findOperators(run: Run): Promise<Operators> {
  const rows = await run(operators, [rolesOfGranters, maxOperators]);
  return { ids: rows.map(({ subject }) => subject), all: rows[0]?.all ?? 0 };
}

/** Logs how many operators get no mail about an act. Call it once the act sends mails. */
export function warnOfOthers(log: Log, { ids, all }: Operators): void {
  if (all > ids.length)
    log.warn('not all operators get a mail', { operators: all, mails: ids.length });
}
