import { setImmediate } from 'node:timers/promises';
import { includes, isPlatformOnly, permissions } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { Run } from '@bailiwick/store';
import { permissionsByRole } from '../decisions/context.ts';
import { grantsPerTenant } from '../limits.ts';
import { findRoleHoldings } from './queries.ts';

// The roles of all subjects in a tenant, and the difference between two such states.

/**
 * For each subject and resource ("" = the whole tenant): its roles there, in a fixed order, and the
 * patterns of each role.
 */
export type Holdings = {
  roles: Map<string, Map<string, string[]>>;
  patterns: Map<string, readonly string[]>;
};

/**
 * The limit of grants in a tenant. Group memberships multiply them; a plan does not compare more
 * than this.
 */
const maxHoldings = grantsPerTenant;

/** The effective roles of a tenant's users and bots, by grants there and on the platform. */
export async function holdingsInTenant(run: Run, tenant: string): Promise<Holdings> {
  const rows = await findRoleHoldings(run, tenant, maxHoldings + 1);
  if (rows.length > maxHoldings)
    throw failedPrecondition(
      `the tenant has more than ${maxHoldings} effective role assignments`,
      'TOO_MANY_GRANTS',
      { Limit: String(maxHoldings) },
    );
  const permissionsOf = permissionsByRole(rows);
  const holdings: Holdings = { roles: new Map(), patterns: new Map() };
  for (const row of rows) {
    const ofSubject = holdings.roles.get(row.subject) ?? new Map<string, string[]>();
    holdings.roles.set(row.subject, ofSubject);
    // A role with the same slug may have other permissions on the platform.
    const role = row.platform ? `platform ${row.role}` : row.role;
    ofSubject.set(row.resource, [...(ofSubject.get(row.resource) ?? []), role]);
    holdings.patterns.set(role, permissionsOf(row));
  }
  return holdings;
}

type Difference = { subject: string; permission: string; resource: string };

/** More than a reader can use. */
const maxDifferences = 50_000;

/**
 * The permissions that the subjects gain and lose from `before` to `after`. Built-in permissions
 * are listed one by one, an application's as the patterns that were granted.
 */
export async function differences(
  before: Holdings,
  after: Holdings,
): Promise<{ gained: Difference[]; lost: Difference[] }> {
  return { gained: await holdingsOnlyIn(after, before), lost: await holdingsOnlyIn(before, after) };
}

async function holdingsOnlyIn(holdings: Holdings, others: Holdings): Promise<Difference[]> {
  const result: Difference[] = [];
  const isChanged = changes(holdings, others);
  for (const [subject, byResource] of holdings.roles) {
    for (const [resource, roles] of byResource) {
      // Most subjects of a tenant do not change.
      if (!isChanged(roles, others.roles.get(subject)?.get(resource))) continue;
      const elsewhere = [
        ...patternsAt(others, subject, ''),
        ...patternsAt(others, subject, resource),
      ];
      // A permission in the whole tenant is reported once, and not again for each resource.
      const everywhere = resource === '' ? [] : patternsAt(holdings, subject, '');
      const only = spelledOut(patternsAt(holdings, subject, resource)).filter(
        (permission) => !includes(elsewhere, permission) && !includes(everywhere, permission),
      );
      for (const permission of only) result.push({ subject, permission, resource });
      if (result.length > maxDifferences)
        throw failedPrecondition(
          `the changes add or remove more than ${maxDifferences} permissions`,
          'PLAN_TOO_LARGE',
          { Limit: String(maxDifferences) },
        );
      // Yields, so that the process answers other calls.
      await setImmediate();
    }
  }
  return result;
}

/** Returns a function that says whether two lists of roles give different permissions. */
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

/** The built-in permissions that the patterns match, and the widest of the application patterns. */
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
