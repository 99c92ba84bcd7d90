import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../../client/client.ts';
import { PermissionDeniedError } from '../../client/errors.ts';
import type { PermissionChange } from '../../client/gen/types.ts';
import type { Change } from './changes.ts';
import { all } from './live.ts';
import type { Preview } from './preview.ts';
import { covers, grantOf, readStates, type State, type States, type Subject } from './states.ts';

// What changes give to the users, bots and groups that they name, whether or not these can use it now: Access_Plan reports only
// active users and bots, and not how long they keep a permission.

/** A permission that a subject has after the changes and had not before, or not for as long. */
export type Gain = {
  who: Subject;
  Permission: string;
  Resource: string;
  /** Whether the subject has it already, and would keep it for longer. */
  longer: boolean;
};

export function findGains(
  { before, after }: States,
  changes: readonly Change[],
  permissions: readonly string[],
): Gain[] {
  return subjectsOf(after, changes).flatMap((who) => {
    const earlier = permissionsOf(before, who);
    return permissionsOf(after, who).flatMap(({ Permission: pattern, ...scope }) =>
      spelledOut(pattern, permissions).flatMap((Permission): Gain[] => {
        const same = earlier.filter(
          (one) =>
            within(one.Permission, Permission) &&
            (one.Resource === '' || one.Resource === scope.Resource),
        );
        if (same.some(({ endsAt }) => endsAt >= scope.endsAt)) return [];
        return [{ who, Permission, Resource: scope.Resource, longer: same.length > 0 }];
      }),
    );
  });
}

/** Whether a pattern includes a permission or another pattern. */
export const within = (pattern: string, permission: string) =>
  pattern === permission || (pattern.endsWith('*') && permission.startsWith(pattern.slice(0, -1)));

/** The subjects of added grants, of memberships, and of the grants of changed roles. */
function subjectsOf({ grants }: State, changes: readonly Change[]): Subject[] {
  const subjects = changes.flatMap((change): Subject[] => {
    if (change.operation === 'Groups_AddMember')
      return [{ kind: 'User', subject: change.request.UserID }];
    if (change.operation === 'Roles_Save') {
      const { Slug } = change.request.Role;
      return grants.filter(({ Role }) => Role === Slug);
    }
    return change.operation.endsWith('_Add') ? [grantOf(change) ?? []].flat() : [];
  });
  const byKey = subjects.map(({ kind, subject }) => [`${kind} ${subject}`, { kind, subject }]);
  return [...new Map(byKey as Array<[string, Subject]>).values()];
}

type EffectivePermission = { Permission: string; Resource: string; endsAt: number };

function permissionsOf(state: State, who: Subject): EffectivePermission[] {
  return state.grants
    .filter((grant) => covers(state, grant, who))
    .flatMap(({ Role, Resource, ExpiresAt }) => {
      const endsAt = ExpiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(ExpiresAt);
      return (state.roles.get(Role) ?? []).map((Permission) => ({ Permission, Resource, endsAt }));
    });
}

/** Bailiwick's permissions one by one, and an application's as granted, like Access_Plan. */
const spelledOut = (pattern: string, permissions: readonly string[]): string[] => [
  ...permissions.filter((permission) => within(pattern, permission)),
  ...(pattern.startsWith('iam.') ? [] : [pattern]),
];

/** Adds to the gains of a preview what subjects have and would keep for longer, which Access_Plan does not report. */
export async function withLonger(
  client: Client,
  Tenant: string,
  { changes, preview }: { changes: readonly Change[]; preview: Preview },
): Promise<Preview> {
  const longer = changes.filter((change) => change.extends === true);
  if (longer.length === 0) return preview;
  try {
    const request = { Tenant, Page: { Limit: 200 } };
    const permissions = await all(client.list('Roles_ListPermissions', request));
    const query = { changes: longer, groups: [], isRelevant: () => true };
    const states = await readStates(client, Tenant, query);
    const gains = findGains(
      states,
      longer,
      permissions.map(({ Name }) => Name),
    );
    const isReported = (gain: PermissionChange) =>
      preview.Gained.some((one) => isDeepStrictEqual(one, gain));
    const added = gains.map(asChange).filter((gain) => !isReported(gain));
    return { ...preview, Gained: [...preview.Gained, ...added] };
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
    const notes = [...preview.notes, 'what the longer grants give is unknown: you lack rights'];
    return { ...preview, notes };
  }
}

const asChange = ({ who, Permission, Resource }: Gain): PermissionChange => ({
  Subject: who.kind === 'Group' ? `group ${who.subject}` : who.subject,
  Permission,
  Resource,
});
