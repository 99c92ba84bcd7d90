import type { SessionProof } from '@bailiwick/contract';
import { msUntil, type Run, type Statement } from '@bailiwick/store';
import { barred } from '../queries.ts';
import {
  missesFactor,
  missesSso,
  nextDemand,
  type ProofValues,
  proofValues,
  refusesMethod,
} from '../session.ts';

const grantColumns = 'g.id, g.role, g.resource, g.tenant, g.expires_at';
const onResources = '($3 or g.resource = any ($4::text[]))';

// The permissions of a tenant's own role (r) come with its first row only. Thousands of grants of
// one role would otherwise repeat them.
const subjectGrants: Statement<
  SubjectGrantRow,
  [
    subject: string,
    tenant: string,
    isAnyResource: boolean,
    resources: readonly string[],
    limit: number,
    everyWay: boolean,
    cutAt: number | null,
  ]
> = {
  name: 'access.held_by_subject',
  text: `
  with held as (
    (select ${grantColumns}, '' as member_of, '' as granted_to from grant_entry g
    where g.tenant in ($2, '') and g.subject = $1 and g.subject_type = (case when $1 like 'bot%' then 'bot' else 'user' end) and ${onResources} limit $7)
    union all
    (select ${grantColumns}, e.path, coalesce(a.path, g.subject)
    from group_member m
    join group_entry e on e.tenant = m.tenant and e.id = m.group_id
    join grant_entry g on g.tenant = m.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys) and ${onResources}
    left join group_entry a on a.tenant = g.tenant and a.key = g.subject
    where m.tenant = $2 and m.user_id = $1 limit $7)
  ), ways as (
    select h.*, row_number() over (partition by h.id order by h.member_of) as way from held h
  )
  select h.id, h.role, h.resource, h.tenant = '' as platform, coalesce(h.expires_at <= now(), false) as expired,
    (extract(epoch from h.expires_at - now()) * 1000)::float8 as "endsInMs", h.member_of as "group", h.granted_to as "grantedTo", case when row_number() over (partition by r.slug order by h.id, h.member_of) = 1 then r.permissions end as gives
  from ways h left join role_entry r on r.tenant = $2 and r.slug = h.role and h.tenant <> ''
  where $6 or h.way = 1
  order by expired, h.id, h.member_of limit $5`,
};

export type SubjectGrantRow = {
  id: string;
  role: string;
  resource: string;
  platform: boolean;
  expired: boolean;
  /** The time until the grant expires, in ms; null = never. */
  endsInMs: number | null;
  /** The user's group, and the group that has the grant; "" = granted to the subject itself. */
  group: string;
  grantedTo: string;
  /**
   * The permissions of a tenant's own role, in its first row; null in its other rows and for a
   * built-in role.
   */
  gives: string[] | null;
};

/**
 * `resources`: undefined = all. `everyWay`: return a group's grant once for each membership that
 * leads to it, instead of once.
 */
export type SubjectGrantQuery = {
  subject: string;
  tenant: string;
  resources?: readonly string[] | undefined;
  everyWay?: boolean;
};

/**
 * The grants of a subject in a tenant and on the platform, including those of its groups. `isCut`:
 * reads about `limit` rows, in any order, to find out cheaply whether there are fewer.
 */
export function findSubjectGrantRows(
  run: Run,
  { subject, tenant, resources, everyWay = false }: SubjectGrantQuery,
  limit: number,
  isCut = false,
): Promise<SubjectGrantRow[]> {
  return run(subjectGrants, [
    subject,
    tenant,
    resources === undefined,
    resources ?? [],
    limit,
    everyWay,
    isCut ? limit : null,
  ]);
}

export type SubjectStatus = {
  /** Whether the tenant is active. */
  open: boolean;
  /** A user's membership of the tenant; null = not a member. */
  membership: string | null;
  /** Whether the user or bot is disabled or deleted. */
  barred: boolean;
  /**
   * Whether the tenant requires SSO and the session did not come from its provider, and whether
   * owners are exempt for now.
   */
  requiresSso: boolean;
  ssoLifted: boolean;
  /** Whether the tenant requires a second factor that the session lacks. */
  lacksFactor: boolean;
  /** How long the tenant demands the same of a session without a change, in ms; null = always. */
  unchangedMs: number | null;
};

const subjectStatus: Statement<
  SubjectStatus,
  [subject: string, tenant: string, ...proof: ProofValues]
> = {
  name: 'access.standing',
  text: `
  select exists (select 1 from tenant t where t.id = $2 and t.status = 'active') as open,
    (select m.status from tenant_member m where m.tenant = $2 and m.user_id = $1) as membership,
    ${barred} as barred,
    exists (select 1 from tenant t where t.id = $2 and ${missesSso('$3')}) as "requiresSso",
    exists (select 1 from tenant t where t.id = $2 and t.sso_lifted_until > now() and not ${refusesMethod('$3')}) as "ssoLifted",
    exists (select 1 from tenant t where t.id = $2 and ${missesFactor('$3', '$4', '$5')}) as "lacksFactor",
    (select ${msUntil(nextDemand)} from tenant t where t.id = $2) as "unchangedMs"`,
};

export async function findSubjectStatus(
  run: Run,
  question: SessionProof & { subject: string; tenant: string },
): Promise<SubjectStatus> {
  const { subject, tenant } = question;
  const [row] = await run(subjectStatus, [subject, tenant, ...proofValues(question)]);
  if (!row) throw new Error('a statement without a condition returned no row');
  return row;
}
