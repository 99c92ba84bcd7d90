import { common, includes, isPlatformOnly, type SessionProof } from '@bailiwick/contract';
import { failedPrecondition, type ServiceError } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Run } from '@bailiwick/store';
import { type Directory, findBotTenant, isBotId } from '../directory.ts';
import { grantsPerSubject } from '../limits.ts';
import { ownerRole, permissionsOf } from '../permissions/builtin.ts';
import { isActiveTenant } from './queries.ts';
import { findCap } from './rights.ts';
import {
  findSubjectGrantRows,
  findSubjectStatus,
  type SubjectGrantQuery,
  type SubjectGrantRow,
  type SubjectStatus,
} from './subjects/queries.ts';
import type { Cap } from './values.ts';

// The grants of a user or bot in one tenant, one by one, for decisions and explanations.
// effective.ts caches the permissions that result. rights.ts applies the same rules in one
// statement for each call; test/model/evaluators.test.ts compares the two.

export type SubjectGrant = Omit<SubjectGrantRow, 'gives'> & {
  /** The permissions of the role. */
  permissions: readonly string[];
};

/** Twice the limit of grants on resources. Only a subject with groups full of grants exceeds it. */
const maxGrants = 2 * grantsPerSubject;

/** The grants of a subject in a tenant and on the platform, including those of its groups. */
export async function findSubjectGrants(
  run: Run,
  query: SubjectGrantQuery,
): Promise<SubjectGrant[]> {
  const rows = await findSubjectGrantRows(run, query, maxGrants + 1);
  // Expired grants come last and do not count.
  if (rows[maxGrants]?.expired === false) throw tooManyGrants(maxGrants);
  return subjectGrants(rows);
}

export const tooManyGrants = (limit: number): ServiceError =>
  failedPrecondition(
    `the subject holds more than ${limit} grants, those of its groups included`,
    'TOO_MANY_GRANTS',
    { Limit: String(limit) },
  );

/**
 * The grants on all resources, a group's grant once for each membership that leads to it. Undefined
 * if there are more than `most`.
 */
async function findFewGrants(
  run: Run,
  query: SubjectGrantQuery,
  most: number,
): Promise<SubjectGrant[] | undefined> {
  const rows = await findSubjectGrantRows(run, { ...query, everyWay: true }, most + 1, true);
  return rows.length > most ? undefined : subjectGrants(rows);
}

function subjectGrants(rows: readonly SubjectGrantRow[]): SubjectGrant[] {
  const permissions = permissionsByRole(rows);
  return rows.map(({ gives: _gives, ...row }) => ({ ...row, permissions: permissions(row) }));
}

/**
 * The permissions of each role in these rows: the tenant's own roles from the rows, built-in roles
 * from the code.
 */
export function permissionsByRole(rows: ReadonlyArray<Pick<SubjectGrantRow, 'role' | 'gives'>>) {
  const own = new Map(rows.flatMap(({ role, gives }) => (gives ? [[role, gives] as const] : [])));
  return ({ role, platform }: Pick<SubjectGrantRow, 'role' | 'platform'>): readonly string[] =>
    platform ? permissionsOf(role, 'platform') : (own.get(role) ?? permissionsOf(role, 'tenant'));
}

/** The time until the first of these grants expires, in ms; Infinity = never. */
export const firstEndMs = (grants: readonly SubjectGrant[]): number =>
  Math.min(
    ...grants.map(({ expired, endsInMs }) =>
      expired || endsInMs === null ? Number.POSITIVE_INFINITY : endsInMs,
    ),
  );

/** Whether these grants of a subject in one tenant make it an owner. */
export const owns = (grants: readonly SubjectGrant[]): boolean =>
  grants.some(
    ({ role, resource, platform, expired }) =>
      role === ownerRole && resource === '' && !platform && !expired,
  );

export type Question = SubjectGrantQuery & SessionProof;

/** A question about all resources. */
export type WholeQuestion = Omit<Question, 'resources' | 'everyWay'>;

export type DecisionContext = {
  grants: SubjectGrant[];
  status: SubjectStatus & {
    lacksSso: boolean;
    /** Whether the subject is a bot of another tenant, which is not active. */
    ownTenantClosed: boolean;
  };
  /** The limit of a session whose provider is not confirmed; undefined = none. */
  cap: Cap | undefined;
  /** A bot's own tenant, if the decision depends on it; "" otherwise. */
  botTenant: string;
};

export type DecisionDeps = { run: Run; directory: Directory };

/** Reads everything that a decision about one subject depends on. */
export async function findDecisionContext(
  deps: DecisionDeps,
  call: Call,
  question: Question,
): Promise<DecisionContext> {
  const [status, grants] = await Promise.all([
    findSubjectStatus(deps.run, question),
    findSubjectGrants(deps.run, question),
  ]);
  return contextOf(deps, call, question, { status, grants });
}

/** Like findDecisionContext for all resources. Undefined for more than `most` grants. */
export async function findWholeContext(
  deps: DecisionDeps,
  call: Call,
  question: WholeQuestion,
  most: number,
): Promise<DecisionContext | undefined> {
  const [status, grants] = await Promise.all([
    findSubjectStatus(deps.run, question),
    findFewGrants(deps.run, question, most),
  ]);
  return grants && contextOf(deps, call, question, { status, grants });
}

async function contextOf(
  { run, directory }: DecisionDeps,
  call: Call,
  { subject, tenant, limitedTo, operator, voucher }: Question,
  { status, grants: all }: { status: SubjectStatus; grants: SubjectGrant[] },
): Promise<DecisionContext> {
  const cap = await findCap(run, voucher, tenant);
  const isWithin = ({ platform }: SubjectGrant) =>
    (limitedTo === '' || (!platform && tenant === limitedTo)) && (operator === '' || !platform);
  const grants = all.filter(isWithin).map((grant) => withCap(grant, cap));
  // Asked only if nothing else denies: it costs a call of identity.
  const isFromElsewhere = status.open && !status.barred && usesPlatformGrantsOnly(subject, grants);
  const botTenant = isFromElsewhere ? await findBotTenant(directory, subject, call) : undefined;
  return {
    grants,
    status: {
      ...status,
      lacksSso: status.requiresSso && !(status.ssoLifted && owns(grants)),
      // Bots of a suspended tenant have no rights anywhere.
      ownTenantClosed:
        isFromElsewhere && !(botTenant !== undefined && (await isActiveTenant(run, botTenant))),
    },
    cap,
    botTenant: botTenant ?? '',
  };
}

const withCap = (grant: SubjectGrant, cap: Cap | undefined): SubjectGrant =>
  cap ? { ...grant, permissions: common(grant.permissions, cap.patterns) } : grant;

/** Whether a cap takes something from the grants of its session's user. */
export const reduces = ({ patterns }: Cap, grants: readonly SubjectGrant[]): boolean =>
  (owns(grants) && !includes(patterns, '*')) ||
  grants.some(
    ({ expired, permissions }) =>
      !expired && permissions.some((permission) => !includes(patterns, permission)),
  );

/**
 * Whether a bot has platform grants and none in the tenant in question, so that its own tenant may
 * be another one: a bot has grants in its own tenant and on the platform only.
 */
const usesPlatformGrantsOnly = (subject: string, grants: readonly SubjectGrant[]): boolean =>
  isBotId(subject) && grants.length > 0 && grants.every(({ platform }) => platform);

/**
 * Whether a grant takes effect. A bot needs no membership. A user's platform grant needs none
 * either, but a disabled membership blocks it.
 */
export function isEffective(
  { platform, expired }: SubjectGrant,
  { open, membership, barred, lacksSso, lacksFactor, ownTenantClosed }: DecisionContext['status'],
  isBot: boolean,
): boolean {
  if (expired || barred || !open || lacksSso || lacksFactor || ownTenantClosed) return false;
  return isBot || membership === 'active' || (platform && membership === null);
}

/**
 * The grants that give a permission, or all that a pattern matches, on a resource ("" = the whole
 * tenant).
 */
export function grantsGiving(
  grants: readonly SubjectGrant[],
  permission: string,
  resource: string,
): SubjectGrant[] {
  if (isPlatformOnly(permission)) return [];
  return grants.filter(
    (grant) =>
      (grant.resource === '' || grant.resource === resource) &&
      includes(grant.permissions, permission),
  );
}
