import { permissions } from '@bailiwick/proto/permissions.ts';
import type { Run } from '@bailiwick/shared/orm.ts';
import { permissionsOf } from '../roles/builtin.ts';
import { includes, isPlatformOnly } from '../roles/match.ts';
import { findRoleHoldings } from './queries.ts';

// What everybody holds in a tenant, and how two such states differ.

/** For each subject and resource ("" = the whole tenant) the patterns that it holds there. */
export type Holdings = Map<string, Map<string, string[]>>;

/** What the users and bots of a tenant hold in it, by grants there and on the platform. */
export async function heldInTenant(run: Run, tenant: string): Promise<Holdings> {
  const holdings: Holdings = new Map();
  for (const { subject, resource, role, platform, custom } of await findRoleHoldings(run, tenant)) {
    const ofSubject = holdings.get(subject) ?? new Map<string, string[]>();
    holdings.set(subject, ofSubject);
    ofSubject.set(resource, [...(ofSubject.get(resource) ?? []), ...(custom ?? permissionsOf(role, platform ? 'platform' : 'tenant'))]);
  }
  return holdings;
}

type Difference = { subject: string; permission: string; resource: string };

/** What is held after and not before, and the other way round. Permissions of ours are told one by one, an application's as they were granted. */
export function differences(before: Holdings, after: Holdings): { gained: Difference[]; lost: Difference[] } {
  return { gained: heldOnlyIn(after, before), lost: heldOnlyIn(before, after) };
}

function heldOnlyIn(holdings: Holdings, others: Holdings): Difference[] {
  return [...holdings].flatMap(([subject, byResource]) =>
    [...byResource].flatMap(([resource, patterns]) => {
      const elsewhere = patternsAt(others.get(subject), resource);
      // What holds in the whole tenant is said once, and not again for each thing in it.
      const everywhere = resource === '' ? [] : (byResource.get('') ?? []);
      return spelledOut(patterns)
        .filter((permission) => !includes(elsewhere, permission) && !includes(everywhere, permission))
        .map((permission) => ({ subject, permission, resource }));
    }),
  );
}

const patternsAt = (byResource: Map<string, string[]> | undefined, resource: string): string[] => [
  ...(byResource?.get('') ?? []),
  ...(byResource?.get(resource) ?? []),
];

/** Our own permissions that patterns stand for, and those of applications without what another one includes. */
function spelledOut(patterns: readonly string[]): string[] {
  const own = permissions.filter((permission) => !isPlatformOnly(permission) && includes(patterns, permission));
  const others = [...new Set(patterns)].filter((pattern) => !pattern.startsWith('iam.'));
  const widest = others.filter((pattern) => !others.some((other) => other !== pattern && includes([other], pattern)));
  return [...own, ...widest];
}
