import type { Client } from '../../client/client.ts';
import { PermissionDeniedError } from '../../client/errors.ts';
import { Refusal } from '../failure.ts';
import type { Change } from './changes.ts';
import { type FileGrant, grantKey, pathKey, type SubjectKind } from './file.ts';
import { all, readGrants } from './live.ts';

// The grants, the members of groups and the permissions of roles of a tenant, before and after
// planned changes.

/** A user or bot by its ID, or a group by its path. */
export type Subject = { kind: SubjectKind; subject: string };

export type State = {
  grants: readonly FileGrant[];
  /** Member IDs by the path key of the group, of the groups that were asked for. */
  members: ReadonlyMap<string, ReadonlySet<string>>;
  /** Permissions by the slug of the role. */
  roles: ReadonlyMap<string, readonly string[]>;
};

export type States = { before: State; after: State };

/** Stands for the users who join later. A group or user of a tenant cannot have this ID. */
export const newMembers: Subject = { kind: 'User', subject: 'new members' };

type StateQuery = {
  changes: readonly Change[];
  /** The groups whose members count by themselves. */
  groups: readonly string[];
  /** Whether the members of groups with this role count, given its permissions. */
  isRelevant: (role: string, permissions: readonly string[]) => boolean;
};

export async function readStates(
  client: Client,
  Tenant: string,
  { changes, groups, isRelevant }: StateQuery,
): Promise<States> {
  const request = { Tenant, Page: { Limit: 200 } };
  const stored = await all(client.list('Roles_List', request));
  const roles = new Map(stored.map(({ Slug, Permissions }) => [Slug, Permissions]));
  const before = [
    ...(await readGrants(client, request)),
    ...(await defaultGrants(client, Tenant, changes)),
  ];
  const [after, rolesAfter] = [grantsAfter(before, changes), rolesAfterAll(roles, changes)];
  const withMembers = [...before, ...after].filter(
    ({ kind, Role }) =>
      kind === 'Group' &&
      isRelevant(Role, [...(roles.get(Role) ?? []), ...(rolesAfter.get(Role) ?? [])]),
  );
  const tops = [...groups, ...withMembers.map(({ subject }) => subject)].map(pathKey);
  const members = await readMembers(client, request, tops);
  return {
    before: { grants: before, members, roles },
    after: { grants: after, members: membersAfter(members, changes), roles: rolesAfter },
  };
}

export const isBelow = (key: string, top: string) => key === top || key.startsWith(`${top}/`);

/** Whether a subject is the given one, or belongs to it. */
export function covers({ members }: State, { kind, subject }: Subject, who: Subject): boolean {
  if (kind !== 'Group') return who.kind !== 'Group' && subject === who.subject;
  const top = pathKey(subject);
  if (!members.has(top)) return false;
  if (who.kind === 'Group') return isBelow(pathKey(who.subject), top);
  return [...members].some(([key, ids]) => isBelow(key, top) && ids.has(who.subject));
}

/** The default role of the tenant as a grant to those who join. Only a change of a stored role affects it. */
async function defaultGrants(
  client: Client,
  Tenant: string,
  changes: readonly Change[],
): Promise<FileGrant[]> {
  const isStored = ({ operation, request }: Change) =>
    operation === 'Roles_Save' && request.IfUpdatedAt !== undefined;
  if (!changes.some(isStored)) return [];
  try {
    const { Settings } = (await client.call('Tenants_Get', { Tenant })).Tenant;
    return [{ ...newMembers, Role: Settings?.DefaultRole || 'member', Resource: '' }];
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
    throw new Refusal(
      'the policy cannot be checked: whether a changed role is the default role needs iam.tenant.read',
    );
  }
}

function grantsAfter(before: readonly FileGrant[], changes: readonly Change[]): FileGrant[] {
  const grants = new Map(before.map((grant) => [grantKey(grant), grant]));
  for (const change of changes) {
    if (change.operation === 'Groups_Delete')
      for (const [key, { kind, subject }] of grants)
        if (kind === 'Group' && pathKey(subject) === pathKey(change.request.Path))
          grants.delete(key);
    const grant = grantOf(change);
    if (grant === undefined) continue;
    if (change.operation.endsWith('_Add')) grants.set(grantKey(grant), grant);
    else grants.delete(grantKey(grant));
  }
  return [...grants.values()];
}

/** The grant that a change adds or removes. */
export function grantOf({ operation, request }: Change): FileGrant | undefined {
  switch (operation) {
    case 'Grants_Add':
    case 'Grants_Remove':
      return asWanted('User', request.Grant.UserID, request.Grant);
    case 'GroupGrants_Add':
    case 'GroupGrants_Remove':
      return asWanted('Group', request.Grant.Group, request.Grant);
    case 'BotGrants_Add':
    case 'BotGrants_Remove':
      return asWanted('Bot', request.Grant.Bot, request.Grant);
    default:
      return undefined;
  }
}

const asWanted = (
  kind: FileGrant['kind'],
  subject: string,
  {
    Role,
    Resource = '',
    ExpiresAt,
  }: { Role: string; Resource?: string | undefined; ExpiresAt?: string | undefined },
): FileGrant => ({ kind, subject, Role, Resource, ExpiresAt });

function rolesAfterAll(before: State['roles'], changes: readonly Change[]): State['roles'] {
  const roles = new Map(before);
  for (const { operation, request } of changes) {
    if (operation === 'Roles_Delete') roles.delete(request.Slug);
    if (operation === 'Roles_Save') {
      const { Slug, Permissions } = request.Role;
      roles.set(Slug, Permissions ?? roles.get(Slug) ?? []);
    }
  }
  return roles;
}

type Request = { Tenant: string; Page: { Limit: number } };

async function readMembers(
  client: Client,
  request: Request,
  tops: readonly string[],
): Promise<State['members']> {
  const members = new Map<string, ReadonlySet<string>>();
  const groups = tops.length > 0 ? await all(client.list('Groups_List', request)) : [];
  for (const { Path } of groups) {
    const key = pathKey(Path);
    if (!tops.some((top) => isBelow(key, top))) continue;
    const ids = await all(client.list('Groups_ListMembers', { ...request, Group: Path }));
    members.set(key, new Set(ids));
  }
  return members;
}

function membersAfter(before: State['members'], changes: readonly Change[]): State['members'] {
  const members = new Map([...before].map(([key, ids]) => [key, new Set(ids)]));
  const membersOf = (path: string) => {
    const ids = members.get(pathKey(path)) ?? new Set();
    members.set(pathKey(path), ids);
    return ids;
  };
  for (const { operation, request } of changes) {
    if (operation === 'Groups_Save') membersOf(request.Group.Path);
    if (operation === 'Groups_AddMember') membersOf(request.Group).add(request.UserID);
    if (operation === 'Groups_RemoveMember')
      members.get(pathKey(request.Group))?.delete(request.UserID);
    if (operation === 'Groups_Delete') members.delete(pathKey(request.Path));
  }
  return members;
}
