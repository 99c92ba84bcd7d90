import { type Run } from '@bailiwick/database';
import { failedPrecondition } from '@bailiwick/errors';
import { type Call } from '@bailiwick/rpc';
import { type Directory, findBotTenant } from '../directory.ts';
import { grantsPerSubject } from '../limits.ts';
import { ownerRole, permissionsOf } from '../permissions/builtin.ts';
import { includes, isPlatformOnly } from '../permissions/match.ts';
import {
  findSubjectGrantRows,
  findSubjectStatus,
  isActiveTenant,
  type SubjectGrantQuery,
  type SubjectGrantRow,
  type SubjectStatus,
} from './queries.ts';
import type { SessionProof } from './session.ts';

// The grants of a user or bot in one tenant, one by one: for checks on resources and for
// explanations. rights.ts reads them in one statement for every call. test/model/evaluators.test.ts
// compares the two.

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
  if (rows[maxGrants]?.expired === false)
    throw failedPrecondition(
      `the subject holds more than ${maxGrants} grants, those of its groups included`,
      'TOO_MANY_GRANTS',
    );
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

/** Whether these grants of a subject in one tenant make it an owner. */
export const owns = (grants: readonly SubjectGrant[]): boolean =>
  grants.some(
    ({ role, resource, platform, expired }) =>
      role === ownerRole && resource === '' && !platform && !expired,
  );

type Question = SubjectGrantQuery & SessionProof;

export type DecisionContext = {
  grants: SubjectGrant[];
  status: Pick<SubjectStatus, 'open' | 'membership' | 'barred' | 'lacksFactor'> & {
    lacksSso: boolean;
    /** Whether the subject is a bot of another tenant, which is not active. */
    ownTenantClosed: boolean;
  };
};

export type DecisionDeps = { run: Run; directory: Directory };

/** Reads everything that a decision about one subject depends on. */
export async function findDecisionContext(
  { run, directory }: DecisionDeps,
  call: Call,
  { ssoTenant, limitedTo, assurance, ...query }: Question,
): Promise<DecisionContext> {
  const [status, all] = await Promise.all([
    findSubjectStatus(run, { ...query, ssoTenant, limitedTo, assurance }),
    findSubjectGrants(run, query),
  ]);
  const grants =
    limitedTo === '' ? all : all.filter(({ platform }) => !platform && query.tenant === limitedTo);
  return {
    grants,
    status: {
      ...status,
      lacksSso: status.requiresSso && !(status.ssoLifted && owns(grants)),
      // Asked only if nothing else denies: it costs a call of identity.
      ownTenantClosed:
        status.open &&
        !status.barred &&
        usesPlatformGrantsOnly(query.subject, grants) &&
        !(await isOfActiveTenant({ run, directory }, call, query.subject)),
    },
  };
}

/**
 * Whether a bot has platform grants and none in the tenant in question, so that its own tenant may
 * be another one: a bot has grants in its own tenant and on the platform only.
 */
const usesPlatformGrantsOnly = (subject: string, grants: readonly SubjectGrant[]): boolean =>
  subject.startsWith('bot_') && grants.length > 0 && grants.every(({ platform }) => platform);

/** Whether a bot exists in an active tenant. Bots of a suspended tenant have no rights anywhere. */
async function isOfActiveTenant(
  { run, directory }: DecisionDeps,
  call: Call,
  bot: string,
): Promise<boolean> {
  const tenant = await findBotTenant(directory, bot, call);
  return tenant !== undefined && (await isActiveTenant(run, tenant));
}

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
