import type { Client } from '../../client/client.ts';
import type { AccessPath } from '../../client/gen/types.ts';
import type { Change } from './changes.ts';
import { pathKey } from './file.ts';

/**
 * Finds a change that would revoke the permission to make the changes from the caller who makes
 * them. It would fail halfway, and that caller could not undo it.
 */
export async function findLockout(
  client: Client,
  Tenant: string,
  changes: readonly Change[],
  /** The bot that will make the changes; the caller by default. */
  bot?: string,
): Promise<string[]> {
  const removals = changes.filter(({ operation }) => /_(Remove|Delete)/.test(operation));
  const removedGrants = new Set(removals.flatMap(({ grant = [] }) => grant));
  const deletedGroups = new Set(
    removals.flatMap(({ operation, request }) =>
      operation === 'Groups_Delete' ? [pathKey(request.Path)] : [],
    ),
  );
  const needed = new Set(removals.map(permissionFor));
  const paths = await Promise.all(
    Array.from(
      needed,
      async (Permission) =>
        (await client.call('Access_Explain', { Tenant, Subject: bot, Permission })).Paths,
    ),
  );
  const lostGroups = await findLostGroups(client, paths.flat(), removals);
  const isLost = ({ Grant, Group, InheritedFrom }: AccessPath) => {
    const group = pathKey(Group);
    return (
      removedGrants.has(Grant) ||
      lostGroups.has(group) ||
      deletedGroups.has(group) ||
      deletedGroups.has(pathKey(InheritedFrom))
    );
  };
  // The platform's own key has no paths, so it cannot lose one.
  if (!paths.some((ways) => ways.length > 0 && ways.every(isLost))) return [];
  return [
    'these changes would revoke your own permission to make them: add your grant to the file, or the group and membership that give it',
  ];
}

function permissionFor({ operation }: Change): string {
  if (operation.startsWith('Roles_')) return 'iam.roles.write';
  return operation.startsWith('Groups_') ? 'iam.groups.write' : 'iam.grants.write';
}

/** The groups that the caller would leave. Account_Get is called only for a caller with rights from a group, which is never a bot. */
async function findLostGroups(
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
