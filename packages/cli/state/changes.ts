import type { RequestOf } from '../../client/client.ts';
import type { Group, Role } from '../../client/gen/types.ts';
import {
  type FileGrant,
  type FileGroup,
  type FileRole,
  grantKey,
  pathKey,
  type RightsFile,
} from './file.ts';
import type { Live, LiveGrant, Names } from './live.ts';

// The difference between the file and the tenant, as requests in a valid order: dependencies are created first and
// removed last.

type ChangeName =
  | 'Roles_Save'
  | 'Groups_Save'
  | 'Groups_AddMember'
  | 'Grants_Add'
  | 'GroupGrants_Add'
  | 'BotGrants_Add'
  | 'Grants_Remove'
  | 'GroupGrants_Remove'
  | 'BotGrants_Remove'
  | 'Groups_RemoveMember'
  | 'Groups_Delete'
  | 'Roles_Delete';

/**
 * One request, and its description: "+ role editor". `grant` is the ID of the grant that it revokes,
 * `extends` whether it makes a grant last longer.
 */
export type Change = {
  [Name in ChangeName]: {
    operation: Name;
    request: RequestOf<Name>;
    text: string;
    grant?: string;
    extends?: boolean;
  };
}[ChangeName];

/** `removals` remove records that the file does not contain. They are made only with --prune. */
export type Difference = { changes: Change[]; removals: Change[] };

/** A missing line never removes an owner. */
const ownerRole = 'owner';

export function differences(
  tenant: string,
  file: RightsFile,
  live: Live,
  names: Names,
): Difference {
  const nameOf = (id: string) => names.get(id) ?? id;
  const roles = roleChanges(tenant, file.Roles, live.roles);
  const groups = groupChanges(tenant, file, live.groups);
  const members = memberChanges(tenant, file.Groups, live, nameOf);
  const grants = grantChanges(tenant, file.Grants, live.grants, nameOf);
  const deleted = new Set(
    groups.removals.map(({ request }) => pathKey((request as RequestOf<'Groups_Delete'>).Path)),
  );
  return {
    changes: [...roles.changes, ...groups.changes, ...members.changes, ...grants.changes],
    removals: [
      // The grants of a deleted group are deleted with it.
      ...grants.removals.filter(
        ({ operation, request }) =>
          operation !== 'GroupGrants_Remove' || !deleted.has(pathKey(request.Grant.Group)),
      ),
      ...members.removals,
      ...groups.removals,
      ...roles.removals,
    ],
  };
}

function roleChanges(
  Tenant: string,
  roles: readonly FileRole[] | undefined,
  live: readonly Role[],
): Difference {
  const stored = new Map(live.map((role) => [role.Slug, role]));
  const changes = (roles ?? []).flatMap((role): Change[] => {
    const record = stored.get(role.Slug);
    const changed = record === undefined ? [] : changedKeys(role, record);
    if (record !== undefined && changed.length === 0) return [];
    // IfUpdatedAt prevents overwriting a concurrent change.
    const request = { Role: { Tenant, ...role }, IfUpdatedAt: record?.UpdatedAt };
    return [
      {
        operation: 'Roles_Save',
        request,
        text:
          record === undefined
            ? `+ role ${role.Slug}`
            : `~ role ${role.Slug} (${changed.join(', ')})`,
      },
    ];
  });
  const extra =
    roles === undefined
      ? []
      : live.filter(({ Slug, System }) => !System && !roles.some((role) => role.Slug === Slug));
  return {
    changes,
    removals: extra.map(({ Slug }) => ({
      operation: 'Roles_Delete',
      request: { Tenant, Slug },
      text: `- role ${Slug}`,
    })),
  };
}

function groupChanges(
  Tenant: string,
  { Groups: groups, Grants = [] }: RightsFile,
  live: readonly Group[],
): Difference {
  // A group that a grant names is also in the file.
  const named = new Set([
    ...(groups ?? []).map(({ Path }) => pathKey(Path)),
    ...Grants.filter(({ kind }) => kind === 'Group').map(({ subject }) => pathKey(subject)),
  ]);
  const stored = new Map(live.map((group) => [pathKey(group.Path), group]));
  const changes = (groups ?? []).flatMap((entry): Change[] => {
    const { Members: _, ...group } = entry;
    const record = stored.get(pathKey(group.Path));
    const changed =
      record === undefined ? [] : changedKeys({ ...group, Path: record.Path }, record);
    if (record !== undefined && changed.length === 0) return [];
    const request = { Group: { Tenant, ...group }, IfUpdatedAt: record?.UpdatedAt };
    return [
      {
        operation: 'Groups_Save',
        request,
        text:
          record === undefined
            ? `+ group ${group.Path}`
            : `~ group ${group.Path} (${changed.join(', ')})`,
      },
    ];
  });
  const extra = groups === undefined ? [] : live.filter(({ Path }) => !named.has(pathKey(Path)));
  return {
    changes,
    removals: extra.map(({ Path }) => ({
      operation: 'Groups_Delete',
      request: { Tenant, Path },
      text: `- group ${Path}`,
    })),
  };
}

/** The keys whose values in the file and in the record differ. Lists are compared as sets. Keys that are not in the file are not compared. */
function changedKeys<Entry extends object>(
  entry: Entry,
  record: Readonly<Record<keyof Entry, unknown>>,
): string[] {
  return (Object.keys(entry) as Array<keyof Entry & string>).filter(
    (key) => entry[key] !== undefined && canonical(entry[key]) !== canonical(record[key]),
  );
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify([...new Set<unknown>(value)].map(String).sort());
  if (typeof value === 'object' && value !== null)
    return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(value);
}

function memberChanges(
  Tenant: string,
  groups: readonly FileGroup[] | undefined,
  { members }: Live,
  nameOf: (id: string) => string,
): Difference {
  const difference: Difference = { changes: [], removals: [] };
  for (const { Path, Members } of groups ?? []) {
    if (Members === undefined) continue;
    const current = members.get(pathKey(Path)) ?? [];
    const request = (UserID: string) => ({ Tenant, Group: Path, UserID });
    for (const id of new Set(Members.filter((member) => !current.includes(member))))
      difference.changes.push({
        operation: 'Groups_AddMember',
        request: request(id),
        text: `+ member ${nameOf(id)} of ${Path}`,
      });
    for (const id of current.filter((member) => !Members.includes(member)))
      difference.removals.push({
        operation: 'Groups_RemoveMember',
        request: request(id),
        text: `- member ${nameOf(id)} of ${Path}`,
      });
  }
  return difference;
}

function grantChanges(
  tenant: string,
  grants: readonly FileGrant[] | undefined,
  live: readonly LiveGrant[],
  nameOf: (id: string) => string,
): Difference {
  const stored = new Map(live.map((grant) => [grantKey(grant), grant]));
  const grantsByKey = new Map((grants ?? []).map((grant) => [grantKey(grant), grant]));
  const changes = [...grantsByKey].flatMap(([key, grant]) => {
    const record = stored.get(key);
    if (record !== undefined && instant(record.ExpiresAt) === instant(grant.ExpiresAt)) return [];
    const until = grant.ExpiresAt === undefined ? 'without expiry' : `until ${grant.ExpiresAt}`;
    const text = `${record === undefined ? '+' : '~'} ${describeGrant(grant, nameOf)}${record || grant.ExpiresAt ? ` ${until}` : ''}`;
    const isLonger = record !== undefined && endOf(grant) > endOf(record);
    return [{ ...grantChange(tenant, grant, 'Add', text), ...(isLonger ? { extends: true } : {}) }];
  });
  const extra =
    grants === undefined
      ? []
      : live.filter((grant) => !grantsByKey.has(grantKey(grant)) && grant.Role !== ownerRole);
  return {
    changes,
    removals: extra.map((grant) => ({
      ...grantChange(tenant, grant, 'Remove', `- ${describeGrant(grant, nameOf)}`),
      grant: grant.ID,
    })),
  };
}

const endOf = ({ ExpiresAt }: FileGrant) => instant(ExpiresAt) ?? Number.POSITIVE_INFINITY;

const instant = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));

function describeGrant(
  { kind, subject, Role, Resource }: FileGrant,
  nameOf: (id: string) => string,
): string {
  return `grant of ${Role} to ${kind.toLowerCase()} ${nameOf(subject)}${Resource === '' ? '' : ` for ${Resource}`}`;
}

function grantChange(
  Tenant: string,
  { kind, subject, Role, Resource, ExpiresAt }: FileGrant,
  verb: 'Add' | 'Remove',
  text: string,
): Change {
  const common = {
    Tenant,
    Role,
    Resource,
    ...(verb === 'Add' && ExpiresAt !== undefined ? { ExpiresAt } : {}),
  };
  if (kind === 'User')
    return {
      operation: `Grants_${verb}`,
      request: { Grant: { ...common, UserID: subject } },
      text,
    };
  if (kind === 'Group')
    return {
      operation: `GroupGrants_${verb}`,
      request: { Grant: { ...common, Group: subject } },
      text,
    };
  return { operation: `BotGrants_${verb}`, request: { Grant: { ...common, Bot: subject } }, text };
}
