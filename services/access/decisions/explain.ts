import { includes, isPlatformOnly, type SessionProof, sessionProof } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import type { AccessExplainResponseSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { isBotId } from '../directory.ts';
import {
  type DecisionContext,
  type DecisionDeps,
  findDecisionContext,
  grantsGiving,
  isEffective,
  type SubjectGrant,
} from './context.ts';

export type Decision = SessionProof & {
  subject: string;
  tenant: string;
  permission: string;
  resource: string;
  narrowedTo: readonly string[];
};

/** Every path by which a subject has a permission or, without one, the reasons why it has not. */
export async function explain(
  deps: DecisionDeps,
  call: Call,
  decision: Decision,
): Promise<MessageInitShape<typeof AccessExplainResponseSchema>> {
  const { subject, tenant, permission, resource, narrowedTo } = decision;
  if (subject === 'platform')
    return { allowed: !isPlatformOnly(permission), paths: [], missing: [] };
  const isBot = isBotId(subject);
  const { status, grants, cap } = await findDecisionContext(deps, call, {
    subject,
    tenant,
    ...sessionProof(decision),
    everyWay: true,
  });
  const ways = grantsGiving(grants, permission, resource);
  const effective = ways.filter((grant) => isEffective(grant, status, isBot));
  const isNarrowed = narrowedTo.length > 0 && !includes(narrowedTo, permission);
  if (effective.length > 0 && !isNarrowed)
    return {
      allowed: true,
      paths: effective.flatMap((grant) => pathsOf(grant, permission)),
      missing: [],
    };
  const isKnown = status.membership !== null || grants.length > 0;
  const inTheWay = isKnown ? obstacles(status, isBot) : strangers(isBot);
  return {
    allowed: false,
    paths: [],
    missing: [
      ...inTheWay,
      ...lacks(decision, grants, ways),
      ...(cap && !includes(cap.patterns, permission) ? [unconfirmed] : []),
      ...(isNarrowed ? [narrowed(permission)] : []),
    ],
  };
}

function pathsOf(grant: SubjectGrant, permission: string) {
  const { id, group, grantedTo, role, platform, permissions } = grant;
  const inheritedFrom = grantedTo === group ? '' : grantedTo;
  return permissions
    .filter((pattern) => includes([pattern], permission))
    .map((pattern) => ({ grant: id, group, inheritedFrom, role, permission: pattern, platform }));
}

const unconfirmed =
  'the provider of the session is not confirmed, and the caller who changed it may not grant the permission';

const narrowed = (permission: string) => `the key is narrowed to permissions without ${permission}`;

/**
 * The answer for a subject without any relation to the tenant. It reveals neither whether the
 * tenant exists nor whether the user is disabled.
 */
const strangers = (isBot: boolean): string[] =>
  isBot ? [] : ['the user is not a member of the tenant'];

/** The reasons that block every grant. */
function obstacles(
  { open, membership, barred, lacksSso, lacksFactor, ownTenantClosed }: DecisionContext['status'],
  isBot: boolean,
): string[] {
  if (!open) return ['the tenant is not active'];
  if (ownTenantClosed) return ['the tenant of the bot is not active'];
  if (barred) return [`the ${isBot ? 'bot' : 'user'} is disabled`];
  if (lacksSso && membership === 'active')
    return ['the tenant requires single sign-on, and this session came another way'];
  if (lacksFactor && membership === 'active')
    return ['the tenant requires a second factor, which this session lacks'];
  if (isBot || membership === 'active') return [];
  return [
    membership === null ? 'the user is not a member of the tenant' : 'the membership is disabled',
  ];
}

/** The grants that come close to giving the permission, or the statement that there are none. */
function lacks(
  { permission, resource }: Decision,
  grants: readonly SubjectGrant[],
  ways: readonly SubjectGrant[],
): string[] {
  if (isPlatformOnly(permission)) return [`${permission} applies on the platform only`];
  const expired = ways
    .filter((grant) => grant.expired)
    .map(({ id, role }) => `the grant ${id} of the role ${role} has expired`);
  const elsewhere = grants.filter(
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
      ? [
          `no granted role has the permission ${permission}${resource === '' ? '' : ` on ${resource}`}`,
        ]
      : []),
  ];
}
