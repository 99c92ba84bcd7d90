import type { Client } from '../../client.ts';
import type { AccessPath } from '../../gen/types.ts';
import type { Change } from './changes.ts';
import { pathKey } from './file.ts';

/** Whoever takes away what lets them make these changes is refused half-way, and cannot even make them anew. */
export async function findLockout(
  client: Client,
  Tenant: string,
  changes: readonly Change[],
): Promise<string[]> {
  const removals = changes.filter(({ operation }) => /_(Remove|Delete)/.test(operation));
  const taken = new Set(removals.flatMap(({ grant = [] }) => grant));
  const deleted = new Set(
    removals.flatMap(({ operation, request }) =>
      operation === 'Groups_Delete' ? [pathKey(request.Path)] : [],
    ),
  );
  const needed = new Set(removals.map(permissionFor));
  const ways = await Promise.all(
    Array.from(
      needed,
      async (Permission) => (await client.call('Access_Explain', { Tenant, Permission })).Paths,
    ),
  );
  const left = await findLeft(client, ways.flat(), removals);
  const isLost = ({ Grant, Group, InheritedFrom }: AccessPath) => {
    const group = pathKey(Group);
    return (
      taken.has(Grant) ||
      left.has(group) ||
      deleted.has(group) ||
      deleted.has(pathKey(InheritedFrom))
    );
  };
  // The platform's own key has no paths, and loses none.
  if (!ways.some((paths) => paths.length > 0 && paths.every(isLost))) return [];
  return [
    'what lets you make these changes would be taken away among them: name your own grant in the file, or the group and the membership it comes by',
  ];
}

function permissionFor({ operation }: Change): string {
  if (operation.startsWith('Roles_')) return 'iam.roles.write';
  return operation.startsWith('Groups_') ? 'iam.groups.write' : 'iam.grants.write';
}

/** The groups that the caller leaves by these changes. Only who has rights by a group is asked who they are: no bot is in one. */
async function findLeft(
  client: Client,
  paths: readonly AccessPath[],
  removals: readonly Change[],
): Promise<ReadonlySet<string>> {
  const groups = new Set(paths.map(({ Group }) => pathKey(Group)));
  const leaving = removals.flatMap(({ operation, request }) =>
    operation === 'Groups_RemoveMember' && groups.has(pathKey(request.Group))
      ? [{ user: request.UserID, group: pathKey(request.Group) }]
      : [],
  );
  if (leaving.length === 0) return new Set();
  const { User } = await client.call('Account_Get', {});
  return new Set(leaving.flatMap(({ user, group }) => (user === User.ID ? [group] : [])));
}
