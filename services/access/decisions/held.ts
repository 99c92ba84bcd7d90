import { failedPrecondition } from '@bailiwick/shared/errors.ts';
import type { Run } from '@bailiwick/shared/orm.ts';
import { grantsPerSubject } from '../limits.ts';
import { ownerRole, permissionsOf } from '../roles/builtin.ts';
import { includes, isPlatformOnly } from '../roles/match.ts';
import {
  findHeldRows,
  findStanding,
  type HeldQuery,
  type HeldRow,
  type Standing,
} from './queries.ts';

// What a user or bot was granted in one tenant, grant by grant: for checks about resources, and for explanations.

export type HeldGrant = Omit<HeldRow, 'gives'> & {
  /** What the role gives. */
  permissions: readonly string[];
};

/** Twice what a subject may have on resources: only one that has groups full of them holds more, and that is more than anybody looks through. */
const mostHeld = 2 * grantsPerSubject;

/** The grants of a subject in a tenant and on the platform, those of its groups included. */
export async function findHeld(run: Run, query: HeldQuery): Promise<HeldGrant[]> {
  const rows = await findHeldRows(run, query, mostHeld + 1);
  // Those that have expired come last, and count for nothing.
  if (rows[mostHeld]?.expired === false)
    throw failedPrecondition(
      `the subject holds more than ${mostHeld} grants, those of its groups included`,
      'TOO_MANY_GRANTS',
    );
  const permissions = permissionsByRole(rows);
  return rows.map(({ gives: _gives, ...row }) => ({ ...row, permissions: permissions(row) }));
}

/** What each of the roles in these rows gives: those of the tenant's own as the rows say, the built-in ones as they are. */
export function permissionsByRole(rows: ReadonlyArray<Pick<HeldRow, 'role' | 'gives'>>) {
  const own = new Map(rows.flatMap(({ role, gives }) => (gives ? [[role, gives] as const] : [])));
  return ({ role, platform }: Pick<HeldRow, 'role' | 'platform'>): readonly string[] =>
    platform ? permissionsOf(role, 'platform') : (own.get(role) ?? permissionsOf(role, 'tenant'));
}

/** Whether these grants, of a subject in one tenant, make it an owner of the tenant. */
export const owns = (held: readonly HeldGrant[]): boolean =>
  held.some(
    ({ role, resource, platform, expired }) =>
      role === ownerRole && resource === '' && !platform && !expired,
  );

/** `ssoTenant` and `limitedTo` are as of a principal. */
type Question = HeldQuery & { ssoTenant: string; limitedTo: string };

export type Grounds = {
  held: HeldGrant[];
  standing: Pick<Standing, 'open' | 'membership' | 'barred'> & { lacksSso: boolean };
};

/** What a decision about one subject rests on. */
export async function findGrounds(
  run: Run,
  { ssoTenant, limitedTo, ...query }: Question,
): Promise<Grounds> {
  const [standing, all] = await Promise.all([
    findStanding(run, query.subject, query.tenant, ssoTenant),
    findHeld(run, query),
  ]);
  const held =
    limitedTo === '' ? all : all.filter(({ platform }) => !platform && query.tenant === limitedTo);
  return {
    held,
    standing: {
      ...standing,
      lacksSso: standing.requiresSso && !(standing.ssoLifted && owns(held)),
    },
  };
}

/** Whether what a subject was granted counts at all: a bot needs no membership, and a grant on the platform none of a person. */
export function counts(
  { platform, expired }: HeldGrant,
  { open, membership, barred, lacksSso }: Grounds['standing'],
  isBot: boolean,
): boolean {
  if (expired || barred || !open || lacksSso) return false;
  return isBot || membership === 'active' || (platform && membership === null);
}

/** The grants that give a permission, or all that a pattern stands for, on a resource ("" = in the whole tenant). */
export function granting(
  held: readonly HeldGrant[],
  permission: string,
  resource: string,
): HeldGrant[] {
  if (isPlatformOnly(permission)) return [];
  return held.filter(
    (grant) =>
      (grant.resource === '' || grant.resource === resource) &&
      includes(grant.permissions, permission),
  );
}
