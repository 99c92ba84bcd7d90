import {
  durationOf,
  endWithin,
  includes,
  permissions,
  refusalFlags,
  type SessionProof,
  type SessionRefusal,
  sessionProof,
} from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import {
  type DescribeRightsRequest,
  type EffectiveRequest,
  EffectiveRequestSchema,
  type EffectiveResponse,
  type SessionTimes,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Run } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { type Duration, durationMs } from '@bufbuild/protobuf/wkt';
import { findCompactGrants } from './decisions/compact.ts';
import { type DecisionDeps, findSubjectGrants, firstEndMs, reduces } from './decisions/context.ts';
import { capKeys } from './decisions/effective.ts';
import { rightsOf } from './decisions/rights.ts';
import { tokenRightsOf } from './decisions/rights-checks.ts';
import { anySession } from './decisions/session.ts';
import type { Rights } from './decisions/values.ts';
import { findGroupPaths } from './groups/queries.ts';

// The rights of a principal as other processes cache them, and whether its session satisfies the
// tenant.

/** The rights of a principal in a tenant and on the platform, as a gateway caches them. */
export async function effectiveRights(
  run: Run,
  request: Omit<EffectiveRequest, '$typeName' | '$unknown'>,
) {
  const { principalType: type, principalId: id, botTenant, narrowedTo } = request;
  const principal = { type, id, botTenant, narrowedTo, ...sessionProof(request) };
  return effectiveOf(run, id, await rightsOf(run, principal, request.tenant), request.session);
}

/**
 * The rights of a principal in a tenant, and the grants that take effect there. A question without a
 * session is answered as Access_Check answers other callers.
 */
export async function describeRights(
  deps: DecisionDeps,
  { principal, withoutSession }: DescribeRightsRequest,
  call: Call,
) {
  const request = principal ?? create(EffectiveRequestSchema);
  const { principalType, principalId: subject, narrowedTo } = request;
  if (withoutSession) {
    const { tenant } = request;
    const unchangedFor = durationOf(Number.POSITIVE_INFINITY);
    return withGrants(deps, call, { tenant, cacheKeys: [], unchangedFor }, subject);
  }
  const effective = await effectiveRights(deps.run, request);
  if (principalType !== 'user') return withGrants(deps, call, effective, subject, { narrowedTo });
  if (effective.session.refusal !== 'none') return { effective };
  return withGrants(deps, call, effective, subject, { narrowedTo, proof: sessionProof(request) });
}

type Cacheable = Pick<EffectiveResponse, 'tenant' | 'cacheKeys'> & { unchangedFor: Duration };

/** Adds the grants of a subject to its rights, which then end with either. */
async function withGrants<Effective extends Cacheable>(
  deps: DecisionDeps,
  call: Call,
  effective: Effective,
  subject: string,
  limits: { narrowedTo?: readonly string[]; proof?: SessionProof } = {},
) {
  const { tenant, unchangedFor } = effective;
  const { narrowedTo = [], proof = anySession(tenant) } = limits;
  const question = { subject, tenant, ...proof };
  const { sets, grants, keys, unchangedMs } = await findCompactGrants(
    deps,
    call,
    question,
    narrowedTo,
  );
  return {
    effective: {
      ...effective,
      cacheKeys: [...new Set([...effective.cacheKeys, ...keys])],
      unchangedFor: durationOf(Math.min(unchangedMs, durationMs(unchangedFor))),
    },
    sets,
    grants,
  };
}

/** The rights of a subject as an answer. `times`: those of its session. */
export async function effectiveOf(run: Run, subject: string, rights: Rights, times?: SessionTimes) {
  const { idleMinutes, maxMinutes, recentLogin } = rights.demands;
  const { refusal, unchangedMs } = await answerOf(run, subject, rights);
  return {
    tenant: rights.tenant,
    ...tokenRightsOf(rights),
    narrowed: true,
    session: { refusal, ...endOf(times, rights) },
    suspendedName: rights.suspendedName,
    recentLogin,
    cacheKeys: capKeys(rights.cap),
    unchangedFor: durationOf(unchangedMs),
    knownPermissions: permissions.length,
    // For processes of the previous version.
    ...refusalFlags(refusal),
    activeMember: !withoutMembership.includes(refusal),
    sessionIdleMinutes: idleMinutes,
    sessionMaxMinutes: maxMinutes,
  };
}

/** The refusals of sessions whose user is no active member, or has no session for the tenant. */
const withoutMembership: readonly SessionRefusal[] = ['suspended', 'not_member', 'other_tenant'];

/** A refusal, and how long it and the rights stay the same without a change, in ms. */
type Answer = { refusal: SessionRefusal; unchangedMs: number };

/**
 * Whether the tenant accepts the session. The voucher of a session counts before its proofs: whether
 * it withholds rights of the user in the tenant. Applications also decide by groups, so these count
 * for who may not fill them.
 */
async function answerOf(
  run: Run,
  subject: string,
  { refusal, unchangedMs, cap, tenant }: Rights,
): Promise<Answer> {
  if (!cap || withoutMembership.includes(refusal)) return { refusal, unchangedMs };
  const grants = await findSubjectGrants(run, { subject, tenant });
  const mayFillGroups = includes(cap.patterns, 'iam.groups.write');
  const isReduced =
    reduces(cap, grants) ||
    (!mayFillGroups && (await findGroupPaths(run, tenant, subject)).length > 0);
  return {
    refusal: isReduced ? 'provider_unconfirmed' : refusal,
    unchangedMs: Math.min(unchangedMs, firstEndMs(grants)),
  };
}

/** When the session ends in the tenant. */
function endOf(times: SessionTimes | undefined, { demands }: Rights) {
  const { signedInAt, expiresAt, idleMinutes } = times ?? {};
  if (!signedInAt || !expiresAt || idleMinutes === undefined) return {};
  return endWithin({ signedInAt, expiresAt, idleMinutes }, demands);
}
