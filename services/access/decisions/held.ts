import type { Run } from '@bailiwick/shared/orm.ts';
import { ownerRole, permissionsOf } from '../roles/builtin.ts';
import { includes, isPlatformOnly } from '../roles/match.ts';
import { findHeldRows, findStanding, type HeldRow, type Standing } from './queries.ts';

// What a user or bot was granted in one tenant, grant by grant: for checks about resources, and for explanations.

export type HeldGrant = Omit<HeldRow, 'custom'> & {
  /** What the role gives. */
  permissions: readonly string[];
};

/** The grants of a subject in a tenant and on the platform, those of its groups included. `resources` undefined = on whatever. */
export async function findHeld(run: Run, subject: string, tenant: string, resources?: readonly string[]): Promise<HeldGrant[]> {
  const rows = await findHeldRows(run, subject, tenant, resources);
  return rows.map(({ custom, ...row }) => ({ ...row, permissions: custom ?? permissionsOf(row.role, row.platform ? 'platform' : 'tenant') }));
}

/** Whether these grants, of a subject in one tenant, make it an owner of the tenant. */
export const owns = (held: readonly HeldGrant[]): boolean =>
  held.some(({ role, resource, platform, expired }) => role === ownerRole && resource === '' && !platform && !expired);

/** `ssoTenant` is as of a principal. `resources` undefined = on whatever. */
type Question = { subject: string; tenant: string; ssoTenant: string; resources?: readonly string[] };

export type Grounds = { held: HeldGrant[]; standing: Pick<Standing, 'open' | 'membership' | 'barred'> & { lacksSso: boolean } };

/** What a decision about one subject rests on. */
export async function findGrounds(run: Run, { subject, tenant, ssoTenant, resources }: Question): Promise<Grounds> {
  const [standing, held] = await Promise.all([findStanding(run, subject, tenant, ssoTenant), findHeld(run, subject, tenant, resources)]);
  return { held, standing: { ...standing, lacksSso: standing.requiresSso && !(standing.ssoLifted && owns(held)) } };
}

/** Whether what a subject was granted counts at all: a bot needs no membership, and a grant on the platform none of a person. */
export function counts({ platform, expired }: HeldGrant, { open, membership, barred, lacksSso }: Grounds['standing'], isBot: boolean): boolean {
  if (expired || barred || !open || lacksSso) return false;
  return isBot || membership === 'active' || (platform && membership === null);
}

/** The grants that give a permission, or all that a pattern stands for, on a resource ("" = in the whole tenant). */
export function granting(held: readonly HeldGrant[], permission: string, resource: string): HeldGrant[] {
  if (isPlatformOnly(permission)) return [];
  return held.filter((grant) => (grant.resource === '' || grant.resource === resource) && includes(grant.permissions, permission));
}
