import type { RightsCache, RightsKey } from '@bailiwick/broker';
import type { Call } from '@bailiwick/pipeline';
import { isBotId } from '../directory.ts';
import {
  type DecisionContext,
  type DecisionDeps,
  findDecisionContext,
  findWholeContext,
  firstEndMs,
  isEffective,
  type Question,
  type WholeQuestion,
} from './context.ts';
import type { Cap } from './values.ts';

// Checks and lists of permissions are answered from memory: what takes effect for a subject in a
// tenant is cached under the lease of packages/broker/revocation. Every change that a decision depends on
// invalidates one of these keys before its reply.

/** Permissions of roles that take effect for a subject, by resource ("" = the whole tenant). */
export type Effective = ReadonlyMap<string, ReadonlySet<readonly string[]>>;

export type CachedDeps = DecisionDeps & { rightsCache: RightsCache };

/** A subject with more grants is not cached: a check reads the grants on its resource only. */
const maxCachedGrants = 100;

/** The key of cached decisions about a user or bot. */
export const keyOfSubject = (subject: string): RightsKey =>
  isBotId(subject) ? `bot:${subject}` : `user:${subject}`;

/** The keys of decisions about a session under a voucher: they follow the rights of its principals. */
export const capKeys = (cap: Cap | undefined): RightsKey[] =>
  (cap?.principals ?? []).flatMap(({ id, botTenant }): RightsKey[] => [
    keyOfSubject(id),
    // Bots of a suspended tenant have no rights anywhere.
    ...(botTenant === '' ? [] : [`tenant:${botTenant}` as const]),
  ]);

/** Finds what takes effect for a subject on these resources, and perhaps on others. */
export async function findEffective(
  deps: CachedDeps,
  call: Call,
  { resources, ...question }: Question,
): Promise<Effective> {
  const { tenant, subject, ssoTenant, limitedTo, assurance, ownAssurance, operator, voucher } =
    question;
  const whole = await deps.rightsCache.getOrLoad(
    `${tenant} ${subject} ${ssoTenant} ${limitedTo} ${assurance} ${ownAssurance} ${operator} ${voucher}`,
    () => loadWhole(deps, call, question),
  );
  if (whole) return whole;
  return effectiveIn(await findDecisionContext(deps, call, { ...question, resources }), subject);
}

/** The permissions in effect, the keys that they depend on, and how long they stay so, in ms. */
type Whole = { effective: Effective; keys: RightsKey[]; unchangedMs: number };

/** Finds what takes effect for a subject on all resources. Undefined for more than `most` grants. */
export async function findWhole(
  deps: DecisionDeps,
  call: Call,
  question: WholeQuestion,
  most: number,
): Promise<Whole | undefined> {
  const context = await findWholeContext(deps, call, question, most);
  if (!context) return undefined;
  const { botTenant, cap } = context;
  return {
    effective: effectiveIn(context, question.subject),
    keys: [
      ...keysOf(question),
      ...(botTenant === '' ? [] : [`tenant:${botTenant}` as const]),
      ...capKeys(cap),
    ],
    unchangedMs: unchangedMs(context),
  };
}

const keysOf = ({ subject, tenant }: WholeQuestion): RightsKey[] => [
  keyOfSubject(subject),
  `tenant:${tenant}`,
];

async function loadWhole(deps: DecisionDeps, call: Call, question: WholeQuestion) {
  const whole = await findWhole(deps, call, question, maxCachedGrants);
  if (!whole)
    return {
      value: undefined,
      keys: keysOf(question),
      bytes: minBytes,
      lastsMs: Number.POSITIVE_INFINITY,
    };
  const { effective, keys, unchangedMs: lastsMs } = whole;
  return { value: effective, keys, bytes: bytesOf(effective), lastsMs };
}

function effectiveIn({ grants, status }: DecisionContext, subject: string): Effective {
  const effective = new Map<string, Set<readonly string[]>>();
  for (const grant of grants) {
    if (!isEffective(grant, status, isBotId(subject))) continue;
    const lists = effective.get(grant.resource);
    if (lists) lists.add(grant.permissions);
    else effective.set(grant.resource, new Set([grant.permissions]));
  }
  return effective;
}

/**
 * How long the decision stays the same without a change, in ms; Infinity = always. The grants of the
 * principals of a voucher expire too.
 */
const unchangedMs = ({ grants, status, cap }: DecisionContext): number =>
  Math.min(
    firstEndMs(grants),
    status.unchangedMs ?? Number.POSITIVE_INFINITY,
    ...(cap?.principals ?? []).map(({ rights }) => rights.unchangedMs),
  );

const minBytes = 1024;

/** About as many bytes as the entry takes. Grants of one role share its permissions. */
function bytesOf(effective: Effective): number {
  const lists = new Set([...effective.values()].flatMap((permissions) => [...permissions]));
  const resources = [...effective.keys()].reduce((total, resource) => total + resource.length, 0);
  const patterns = [...lists].flat().reduce((total, pattern) => total + pattern.length + 32, 0);
  return minBytes + 128 * effective.size + resources + patterns;
}

/** The permissions of the subject on a resource ("" = the whole tenant). */
export const permissionsOn = (
  effective: Effective,
  resource: string,
): ReadonlyArray<readonly string[]> => [
  ...(effective.get('') ?? []),
  ...((resource !== '' && effective.get(resource)) || []),
];
