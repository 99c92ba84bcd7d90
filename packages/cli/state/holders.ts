import type { Client } from '../../client/client.ts';
import type { Change } from './changes.ts';
import { grantKey, type Holder, pathKey, type WantedGrant } from './file.ts';
import { all, readGrants } from './live.ts';

// Who will have a role or belong to a group after the changes: what the tenant has, changed by each request.

type Known = {
  /** Member IDs by the path key of the group. */
  members: ReadonlyMap<string, ReadonlySet<string>>;
  grants: readonly WantedGrant[];
};

/** Returns a function that says whether a user or bot (its ID) will be one of the holders. */
export async function readHolders(
  client: Client,
  Tenant: string,
  { holders, changes }: { holders: readonly Holder[]; changes: readonly Change[] },
): Promise<(holder: Holder, id: string) => boolean> {
  const request = { Tenant, Page: { Limit: 200 } };
  const isAsked = (kind: Holder['kind']) => holders.some((holder) => holder.kind === kind);
  const grants = isAsked('Role') ? await grantsAfter(client, request, changes) : [];
  const roles = holders.flatMap(({ kind, subject }) => (kind === 'Role' ? [subject] : []));
  const asked = [
    ...holders.filter(({ kind }) => kind === 'Group'),
    ...grants.filter(({ kind, Role }) => kind === 'Group' && roles.includes(Role)),
  ].map(({ subject }) => pathKey(subject));
  const members = await membersAfter(client, request, { asked, changes });
  return (holder, id) => isHolder({ grants, members }, holder, id);
}

function isHolder({ grants, members }: Known, { kind, subject }: Holder, id: string): boolean {
  if (kind === 'Role')
    return grants.some(
      // A grant for one resource, or one that ends, does not make its subject a holder.
      ({ Role, Resource, ExpiresAt, ...grant }) =>
        Role === subject &&
        Resource === '' &&
        ExpiresAt === undefined &&
        isHolder({ grants, members }, grant, id),
    );
  if (kind === 'Group')
    return [...members].some(([key, ids]) => isBelow(key, pathKey(subject)) && ids.has(id));
  return subject === id;
}

const isBelow = (key: string, top: string) => key === top || key.startsWith(`${top}/`);

type Request = { Tenant: string; Page: { Limit: number } };

async function grantsAfter(
  client: Client,
  request: Request,
  changes: readonly Change[],
): Promise<WantedGrant[]> {
  const grants = new Map<string, WantedGrant>(
    (await readGrants(client, request)).map((grant) => [grantKey(grant), grant]),
  );
  for (const change of changes) {
    const grant = grantOf(change);
    if (grant === undefined) continue;
    if (change.operation.endsWith('_Add')) grants.set(grantKey(grant), grant);
    else grants.delete(grantKey(grant));
  }
  return [...grants.values()];
}

/** The grant that a change adds or removes. */
function grantOf({ operation, request }: Change): WantedGrant | undefined {
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
  kind: WantedGrant['kind'],
  subject: string,
  {
    Role,
    Resource = '',
    ExpiresAt,
  }: { Role: string; Resource?: string | undefined; ExpiresAt?: string | undefined },
): WantedGrant => ({ kind, subject, Role, Resource, ExpiresAt });

async function membersAfter(
  client: Client,
  request: Request,
  { asked, changes }: { asked: readonly string[]; changes: readonly Change[] },
): Promise<Map<string, Set<string>>> {
  const members = new Map<string, Set<string>>();
  const groups = asked.length > 0 ? await all(client.list('Groups_List', request)) : [];
  for (const { Path } of groups) {
    const key = pathKey(Path);
    if (!asked.some((top) => isBelow(key, top))) continue;
    members.set(
      key,
      new Set(await all(client.list('Groups_ListMembers', { ...request, Group: Path }))),
    );
  }
  for (const change of changes) {
    if (change.operation === 'Groups_Delete') members.delete(pathKey(change.request.Path));
    if (change.operation === 'Groups_RemoveMember')
      members.get(pathKey(change.request.Group))?.delete(change.request.UserID);
    if (change.operation === 'Groups_AddMember') {
      const key = pathKey(change.request.Group);
      members.set(key, (members.get(key) ?? new Set()).add(change.request.UserID));
    }
  }
  return members;
}
