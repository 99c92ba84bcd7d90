import { setImmediate } from 'node:timers/promises';
import { permissions } from '@bailiwick/proto/permissions.ts';
import { failedPrecondition } from '@bailiwick/shared/errors.ts';
import type { Run } from '@bailiwick/shared/orm.ts';
import { grantsPerTenant } from '../limits.ts';
import { includes, isPlatformOnly } from '../roles/match.ts';
import { permissionsByRole } from './held.ts';
import { findRoleHoldings } from './queries.ts';

// What everybody holds in a tenant, and how two such states differ.

/** For each subject and resource ("" = the whole tenant) the roles that it holds there, in one order, and what each of them gives. */
export type Holdings = {
  roles: Map<string, Map<string, string[]>>;
  patterns: Map<string, readonly string[]>;
};

/** As many as a tenant may have grants: members of groups make more of them, up to what is compared by nobody. */
const mostHoldings = grantsPerTenant;

/** What the users and bots of a tenant hold in it, by grants there and on the platform. */
export async function heldInTenant(run: Run, tenant: string): Promise<Holdings> {
  const rows = await findRoleHoldings(run, tenant, mostHoldings + 1);
  if (rows.length > mostHoldings)
    throw failedPrecondition(
      `more than ${mostHoldings} roles are held in the tenant, member by member`,
      'TOO_MANY_GRANTS',
    );
  const permissionsOf = permissionsByRole(rows);
  const holdings: Holdings = { roles: new Map(), patterns: new Map() };
  for (const row of rows) {
    const ofSubject = holdings.roles.get(row.subject) ?? new Map<string, string[]>();
    holdings.roles.set(row.subject, ofSubject);
    // A role of one slug may give something else on the platform.
    const role = row.platform ? `platform ${row.role}` : row.role;
    ofSubject.set(row.resource, [...(ofSubject.get(row.resource) ?? []), role]);
    holdings.patterns.set(role, permissionsOf(row));
  }
  return holdings;
}

type Difference = { subject: string; permission: string; resource: string };

/** More than anybody reads. */
const mostDifferences = 50_000;

/** What is held after and not before, and the other way round. Permissions of ours are told one by one, an application's as they were granted. */
export async function differences(
  before: Holdings,
  after: Holdings,
): Promise<{ gained: Difference[]; lost: Difference[] }> {
  return { gained: await heldOnlyIn(after, before), lost: await heldOnlyIn(before, after) };
}

async function heldOnlyIn(holdings: Holdings, others: Holdings): Promise<Difference[]> {
  const found: Difference[] = [];
  const isChanged = changes(holdings, others);
  for (const [subject, byResource] of holdings.roles) {
    for (const [resource, roles] of byResource) {
      // Most of a tenant stays as it is.
      if (!isChanged(roles, others.roles.get(subject)?.get(resource))) continue;
      const elsewhere = [
        ...patternsAt(others, subject, ''),
        ...patternsAt(others, subject, resource),
      ];
      // What holds in the whole tenant is said once, and not again for each thing in it.
      const everywhere = resource === '' ? [] : patternsAt(holdings, subject, '');
      const only = spelledOut(patternsAt(holdings, subject, resource)).filter(
        (permission) => !includes(elsewhere, permission) && !includes(everywhere, permission),
      );
      for (const permission of only) found.push({ subject, permission, resource });
      if (found.length > mostDifferences)
        throw failedPrecondition(
          `the changes make a difference of more than ${mostDifferences} permissions`,
          'PLAN_TOO_LARGE',
        );
      // Others are answered meanwhile.
      await setImmediate();
    }
  }
  return found;
}

/** Whether roles at one place give something else than those that are there otherwise. */
function changes(holdings: Holdings, others: Holdings) {
  const changed = new Set(
    [...holdings.patterns]
      .filter(([role, gives]) => String(others.patterns.get(role)) !== String(gives))
      .map(([role]) => role),
  );
  return (roles: readonly string[], otherwise: readonly string[] = []): boolean =>
    roles.length !== otherwise.length ||
    roles.some((role, index) => role !== otherwise[index] || changed.has(role));
}

const patternsAt = ({ roles, patterns }: Holdings, subject: string, resource: string): string[] =>
  (roles.get(subject)?.get(resource) ?? []).flatMap((role) => patterns.get(role) ?? []);

/** Our own permissions that patterns stand for, and those of applications without what another one includes. */
function spelledOut(patterns: readonly string[]): string[] {
  const own = permissions.filter(
    (permission) => !isPlatformOnly(permission) && includes(patterns, permission),
  );
  const others = [...new Set(patterns)].filter((pattern) => !pattern.startsWith('iam.'));
  const widest = others.filter(
    (pattern) => !others.some((other) => other !== pattern && includes([other], pattern)),
  );
  return [...own, ...widest];
}
