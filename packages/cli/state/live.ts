import type { Client } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import type { Bot, BotGrant, Grant, Group, GroupGrant, Role } from '../../client/gen/types.ts';
import { Refusal } from '../failure.ts';
import {
  type FileGrant,
  grantKey,
  pathKey,
  type RightsFile,
  type Rule,
  type SubjectKind,
} from './file.ts';

// Reads the parts of a tenant that a file contains, and resolves the users and bots that the file names.

/** A grant to a user, group or bot. Its subject is a user's or bot's ID, or a group's path. */
export type LiveGrant = FileGrant & { ID: string };
export type Live = {
  roles: readonly Role[];
  groups: readonly Group[];
  /** User IDs by the path key of the group, for the groups with Members in the file. */
  members: ReadonlyMap<string, readonly string[]>;
  grants: readonly LiveGrant[];
};

export async function readLive(client: Client, tenant: string, file: RightsFile): Promise<Live> {
  const request = { Tenant: tenant, Page: { Limit: 200 } };
  const roles = file.Roles && (await all(client.list('Roles_List', request)));
  const groups = file.Groups && (await all(client.list('Groups_List', request)));
  const members = new Map<string, readonly string[]>();
  for (const { Path } of groups ?? []) {
    const named = file.Groups?.some(
      (group) => group.Members !== undefined && pathKey(group.Path) === pathKey(Path),
    );
    if (named)
      members.set(
        pathKey(Path),
        await all(client.list('Groups_ListMembers', { ...request, Group: Path })),
      );
  }
  return {
    roles: roles ?? [],
    groups: groups ?? [],
    members,
    grants: file.Grants ? await readGrants(client, request) : [],
  };
}

export async function readGrants(
  client: Client,
  request: { Tenant: string; Page: { Limit: number } },
): Promise<LiveGrant[]> {
  const [users, groups, bots] = await Promise.all([
    all(client.list('Grants_ListByTenant', request)),
    all(client.list('GroupGrants_ListByTenant', request)),
    all(client.list('BotGrants_ListByTenant', request)),
  ]);
  const common = ({ ID, Role, Resource, ExpiresAt }: Grant | GroupGrant | BotGrant) => ({
    ID,
    Role,
    Resource,
    ExpiresAt,
  });
  return [
    ...users.map((grant) => ({ kind: 'User' as const, subject: grant.UserID, ...common(grant) })),
    ...groups.map((grant) => ({ kind: 'Group' as const, subject: grant.Group, ...common(grant) })),
    ...bots.map((grant) => ({ kind: 'Bot' as const, subject: grant.Bot, ...common(grant) })),
  ];
}

/** The names that the file uses, by ID. */
export type Names = ReadonlyMap<string, string>;

/** Replaces addresses and names in the file by IDs. @throws Refusal with all problems */
export async function resolveSubjects(
  client: Client,
  tenant: string,
  file: RightsFile,
): Promise<{ rights: RightsFile; names: Names }> {
  const { ids, problems } = await findIds(client, tenant, {
    users: [
      ...(file.Groups ?? []).flatMap(({ Members = [] }) => Members),
      ...subjectsOf(file, 'User'),
    ],
    bots: subjectsOf(file, 'Bot'),
  });
  const idOf = (name: string) => ids.get(name) ?? name;
  const grants = file.Grants?.map((grant) => withId(grant, idOf));
  // Only now, since one may be to an address and the other to its ID.
  const keys = grants?.map(grantKey) ?? [];
  for (const { kind, subject, Role } of grants?.filter(
    (grant, index) => keys.indexOf(grantKey(grant)) < index,
  ) ?? [])
    problems.push(
      `the grant of ${Role} to ${kind.toLowerCase()} ${subject} appears more than once`,
    );
  if (problems.length > 0) throw new Refusal(problems.join('\n'));
  return {
    rights: {
      ...file,
      Groups: file.Groups?.map((group) => ({ ...group, Members: group.Members?.map(idOf) })),
      Grants: grants,
      Policy: file.Policy?.map((rule) => withIds(rule, idOf)),
    },
    names: new Map([...ids].map(([name, id]) => [id, name])),
  };
}

/** The rules of an earlier file with IDs. Its users and bots may no longer exist: then they hold nothing. */
export async function resolveRules(
  client: Client,
  tenant: string,
  rules: readonly Rule[],
): Promise<Rule[]> {
  const named = { Policy: [...rules] };
  const users = subjectsOf(named, 'User');
  const { ids } = await findIds(client, tenant, { users, bots: subjectsOf(named, 'Bot') });
  return rules.map((rule) => ({
    ...withIds(rule, (name) => ids.get(name) ?? name),
    isBase: true,
  }));
}

type Subject = { kind: SubjectKind | 'Role'; subject: string };

const withId = <Some extends Subject>(some: Some, idOf: (name: string) => string): Some =>
  some.kind === 'User' || some.kind === 'Bot' ? { ...some, subject: idOf(some.subject) } : some;

const withIds = (rule: Rule, idOf: (name: string) => string): Rule => ({
  ...rule,
  Only: rule.Only.map((holder) => withId(holder, idOf)),
});

/** The users or bots that the grants and rules of a file name. */
const subjectsOf = ({ Grants = [], Policy = [] }: RightsFile, kind: SubjectKind) =>
  [...Grants, ...Policy.flatMap(({ Only }) => Only)]
    .filter((one) => one.kind === kind)
    .map(({ subject }) => subject);

/** The IDs of users and bots by the names that the file uses, and a problem for each name without one. */
async function findIds(
  client: Client,
  tenant: string,
  names: { users: readonly string[]; bots: readonly string[] },
): Promise<{ ids: Map<string, string>; problems: string[] }> {
  const ids = new Map<string, string>();
  const problems: string[] = [];
  for (const email of new Set(names.users.filter((user) => !user.startsWith('usr_')))) {
    const id = await findUser(client, email);
    if (id === undefined) problems.push(`there is no user ${email}, or you cannot see it`);
    else ids.set(email, id);
  }
  const named = new Set(names.bots.filter((bot) => !bot.startsWith('bot_')));
  const bots: readonly Bot[] =
    named.size > 0 ? await all(client.list('Bots_List', { Tenant: tenant })) : [];
  for (const name of named) {
    const [match, ...more] = bots.filter((bot) => bot.Name === name);
    if (match === undefined || more.length > 0)
      problems.push(
        match ? `several bots are called ${name}: name one by its ID` : `there is no bot ${name}`,
      );
    else ids.set(name, match.ID);
  }
  return { ids, problems };
}

async function findUser(client: Client, Email: string): Promise<string | undefined> {
  try {
    return (await client.call('Users_GetByEmail', { Email })).User.ID;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const record of items) list.push(record);
  return list;
}
