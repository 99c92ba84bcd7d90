import type { Client } from '../../client/client.ts';
import type { Bot, BotGrant, Grant, User } from '../../client/gen/types.ts';
import { type Command, textOf } from '../command.ts';
import { connect, urlOf } from '../connect.ts';
import { exitCodes, Refusal, UsageError } from '../failure.ts';
import { isClosed, print, say } from '../output.ts';
import { defaultTenant, findTenant } from '../tenant.ts';
import { type GrantLine, grantLine, type Line } from './lines.ts';

export const exportTenant: Command = {
  takes: '',
  summary:
    'Writes a tenant as JSON Lines: its roles, groups, users, bots, grants and endpoints, without passwords, keys and secrets. bailiwick import --from bailiwick reads it.',
  options: { tenant: { type: 'string' } },
  help: [['--tenant ID|SLUG', 'default: the tenant of bailiwick use']],
  async run({ values, rest }) {
    if (rest.length > 0) throw new UsageError('export takes only options');
    const name = textOf(values['tenant']) ?? defaultTenant(urlOf(values));
    if (name === undefined)
      throw new Refusal('name a tenant: with --tenant, or a default with bailiwick use');
    const client = await connect(values);
    let count = 0;
    for await (const line of linesOf(client, await findTenant(client, name))) {
      if (isClosed()) return exitCodes.ok;
      print(JSON.stringify(line));
      count++;
    }
    say(`${count} records were exported`);
    return exitCodes.ok;
  },
};

/** The records of a tenant, each after those that it names. */
async function* linesOf(client: Client, tenant: string): AsyncGenerator<Line> {
  const request = { Tenant: tenant, Page: { Limit: 200 } };
  const { Tenant } = await client.call('Tenants_Get', { Tenant: tenant });
  const { Name, Slug, Settings } = Tenant;
  yield { Kind: 'tenant', Name, Slug, DefaultRole: Settings?.DefaultRole || 'member' };
  for await (const { System, Slug, Name, Description, Permissions } of client.list(
    'Roles_List',
    request,
  ))
    if (!System) yield { Kind: 'role', Slug, Name, Description, Permissions };
  const groupsOf = new Map<string, string[]>();
  for await (const { Path, Name, Description, ExternalID, Metadata } of client.list(
    'Groups_List',
    request,
  )) {
    for await (const id of client.list('Groups_ListMembers', { ...request, Group: Path }))
      addTo(groupsOf, id, Path);
    yield { Kind: 'group', Path, Name, Description, ExternalID, Metadata };
  }
  yield* userLines(client, request, groupsOf);
  for await (const grant of client.list('GroupGrants_ListByTenant', request))
    yield { Kind: 'group_grant', Group: grant.Group, ...grantLine(grant) };
  const botGrants = await grantsBy(
    client.list('BotGrants_ListByTenant', request),
    ({ Bot }) => Bot,
  );
  for await (const bot of client.list('Bots_List', request)) yield botLine(bot, botGrants);
  yield* endpointLines(client, request);
}

type Request = { Tenant: string; Page: { Limit: number } };

async function* userLines(
  client: Client,
  request: Request,
  groupsOf: ReadonlyMap<string, string[]>,
): AsyncGenerator<Line> {
  const grants = await grantsBy(
    client.list('Grants_ListByTenant', request),
    ({ UserID }) => UserID,
  );
  const disabled = new Set<string>();
  for await (const { UserID, Status } of client.list('TenantMembers_List', request))
    if (Status === 'disabled') disabled.add(UserID);
  for await (const user of client.list('Users_ListByTenant', request))
    yield {
      Kind: 'user',
      ...profile(user),
      Status: disabled.has(user.ID) ? 'disabled' : 'active',
      Groups: groupsOf.get(user.ID) ?? [],
      Grants: grants.get(user.ID) ?? [],
    };
}

async function* endpointLines(client: Client, request: Request): AsyncGenerator<Line> {
  for await (const { Name, URL, Active, EventTypes, Description, RateLimit } of client.list(
    'Webhooks_ListEndpoints',
    request,
  ))
    yield { Kind: 'webhook_endpoint', Name, URL, Active, EventTypes, Description, RateLimit };
  // The URL of a chat endpoint is a secret, which no one can read back.
  for await (const { Name, Active, EventTypes, Description, Kind } of client.list(
    'Chat_ListEndpoints',
    request,
  ))
    yield { Kind: 'chat_endpoint', Service: Kind, Name, Active, EventTypes, Description };
}

const profile = ({
  Email,
  EmailVerified,
  Name,
  GivenName,
  FamilyName,
  Picture,
  Locale,
  ExternalID,
  Metadata,
}: User) => ({
  Email,
  EmailVerified,
  Name,
  GivenName,
  FamilyName,
  Picture,
  Locale,
  ExternalID,
  Metadata,
});

const botLine = (
  { ID, Name, Description, Active, Metadata }: Bot,
  grants: ReadonlyMap<string, GrantLine[]>,
): Line => ({ Kind: 'bot', Name, Description, Active, Metadata, Grants: grants.get(ID) ?? [] });

/** The grants of each subject. */
async function grantsBy<Item extends Grant | BotGrant>(
  items: AsyncIterable<Item>,
  subjectOf: (grant: Item) => string,
): Promise<ReadonlyMap<string, GrantLine[]>> {
  const lines = new Map<string, GrantLine[]>();
  for await (const grant of items) addTo(lines, subjectOf(grant), grantLine(grant));
  return lines;
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
