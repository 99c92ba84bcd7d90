import type { AccessExplainResponseSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import { type Run } from '@bailiwick/shared/orm.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { includes, isPlatformOnly } from '../roles/match.ts';
import { counts, findGrounds, type Grounds, granting, type HeldGrant } from './held.ts';

export type Decision = {
  subject: string;
  tenant: string;
  ssoTenant: string;
  limitedTo: string;
  permission: string;
  resource: string;
  narrowedTo: readonly string[];
};

/** Every way by which a subject holds a permission; where there is none, what stands in the way. */
export async function explain(
  run: Run,
  decision: Decision,
): Promise<MessageInitShape<typeof AccessExplainResponseSchema>> {
  const { subject, tenant, ssoTenant, limitedTo, permission, resource, narrowedTo } = decision;
  if (subject === 'platform')
    return { allowed: !isPlatformOnly(permission), paths: [], missing: [] };
  const isBot = subject.startsWith('bot_');
  const { standing, held } = await findGrounds(run, {
    subject,
    tenant,
    ssoTenant,
    limitedTo,
    everyWay: true,
  });
  const ways = granting(held, permission, resource);
  const counting = ways.filter((grant) => counts(grant, standing, isBot));
  const isNarrowed = narrowedTo.length > 0 && !includes(narrowedTo, permission);
  if (counting.length > 0 && !isNarrowed)
    return {
      allowed: true,
      paths: counting.flatMap((grant) => pathsOf(grant, permission)),
      missing: [],
    };
  const isKnown = standing.membership !== null || held.length > 0;
  const inTheWay = isKnown ? obstacles(standing, isBot) : strangers(isBot);
  return {
    allowed: false,
    paths: [],
    missing: [
      ...inTheWay,
      ...lacks(decision, held, ways),
      ...(isNarrowed ? [narrowed(permission)] : []),
    ],
  };
}

function pathsOf(grant: HeldGrant, permission: string) {
  const { id, group, grantedTo, role, platform, permissions } = grant;
  const inheritedFrom = grantedTo === group ? '' : grantedTo;
  return permissions
    .filter((pattern) => includes([pattern], permission))
    .map((pattern) => ({ grant: id, group, inheritedFrom, role, permission: pattern, platform }));
}

const narrowed = (permission: string) => `the key is narrowed to permissions without ${permission}`;

/** All that is said of who has nothing to do with a tenant: neither whether it is there, nor of a stranger whether they are disabled. */
const strangers = (isBot: boolean): string[] =>
  isBot ? [] : ['the user is not a member of the tenant'];

/** What would stand in the way of any grant. */
function obstacles(
  { open, membership, barred, lacksSso }: Grounds['standing'],
  isBot: boolean,
): string[] {
  if (!open) return ['the tenant is not active'];
  if (barred) return [`the ${isBot ? 'bot' : 'user'} is disabled`];
  if (lacksSso && membership === 'active')
    return ['the tenant requires single sign-on, and this session came another way'];
  if (isBot || membership === 'active') return [];
  return [
    membership === null ? 'the user is not a member of the tenant' : 'the membership is disabled',
  ];
}

/** What was granted that comes close, or that nothing was. */
function lacks(
  { permission, resource }: Decision,
  held: readonly HeldGrant[],
  ways: readonly HeldGrant[],
): string[] {
  if (isPlatformOnly(permission)) return [`${permission} counts on the platform only`];
  const expired = ways
    .filter((grant) => grant.expired)
    .map(({ id, role }) => `the grant ${id} of the role ${role} has expired`);
  const elsewhere = held.filter(
    (grant) => !ways.includes(grant) && includes(grant.permissions, permission) && !grant.expired,
  );
  const others = elsewhere.map(
    ({ id, role, resource: other }) =>
      `the grant ${id} of the role ${role} is for the resource ${other} only`,
  );
  if (ways.some((grant) => !grant.expired)) return [];
  const nothing = expired.length === 0 && others.length === 0;
  return [
    ...expired,
    ...others,
    ...(nothing
      ? [`no role that is granted gives ${permission}${resource === '' ? '' : ` on ${resource}`}`]
      : []),
  ];
}
