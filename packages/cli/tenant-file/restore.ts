import { randomUUID } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import type { ImportVerdict } from '../../client/gen/types.ts';
import { sendUsers } from '../../client/import/mod.ts';
import { Refusal } from '../failure.ts';
import { patientSender } from '../import/sender.ts';
import { say } from '../output.ts';
import { printable } from '../text.ts';
import type { GrantLine, Line, LineOf } from './lines.ts';

// Makes the records of an exported tenant in another tenant, or again in the same one. Every step
// may be repeated: records that are there already stay, so an interrupted import starts again.

/** `failed`: users and bots who were refused. */
export type Restored = { users: number; failed: number };
type Target = {
  client: Client;
  tenant: string;
  defaultRole: string;
  /** The IDs of the bots that the tenant had at the start, by name. */
  bots: ReadonlyMap<string, readonly string[]>;
  /** The names of the bots of the file so far. */
  botNames: Set<string>;
  /** The addresses of the tenant's webhook endpoints. */
  endpoints: Set<string>;
  /** The keys of the groups that a directory keeps in the tenant. Only the directory changes them. */
  directoryGroups: ReadonlySet<string>;
};

const groupKey = (path: string): string => path.replace(/^\//, '').toLowerCase();

/** Users of one call: their grants and groups may be many. */
const usersAtOnce = 100;

export async function restoreTenant(
  client: Client,
  tenant: string,
  lines: AsyncIterable<Line>,
): Promise<Restored> {
  const target = await openTarget(client, tenant);
  const restored: Restored = { users: 0, failed: 0 };
  let users: Array<LineOf<'user'>> = [];
  const flush = async () => {
    const batch = users;
    users = [];
    if (batch.length === 0) return;
    restored.users += batch.length;
    restored.failed += await restoreUsers(target, batch);
  };
  for await (const line of lines) {
    if (line.Kind !== 'user') {
      await flush();
      restored.failed += await restoreRecord(target, line);
    } else if (users.push(line) >= usersAtOnce) await flush();
  }
  await flush();
  return restored;
}

async function openTarget(client: Client, tenant: string): Promise<Target> {
  const { Tenant } = await client.call('Tenants_Get', { Tenant: tenant });
  const request = { Tenant: tenant, Page: { Limit: 200 } };
  const bots = new Map<string, string[]>();
  for await (const { Name, ID } of client.list('Bots_List', request))
    bots.set(Name, [...(bots.get(Name) ?? []), ID]);
  const endpoints = new Set<string>();
  for await (const { URL } of client.list('Webhooks_ListEndpoints', request)) endpoints.add(URL);
  const directoryGroups = new Set<string>();
  for await (const { Path, Source } of client.list('Groups_List', request))
    if (Source === 'scim') directoryGroups.add(groupKey(Path));
  const defaultRole = Tenant.Settings?.DefaultRole || 'member';
  return { client, tenant, defaultRole, bots, botNames: new Set(), endpoints, directoryGroups };
}

/** Returns the number of records that were refused. */
async function restoreRecord(target: Target, line: Exclude<Line, LineOf<'user'>>): Promise<number> {
  if (line.Kind === 'bot') return restoreBot(target, line);
  await restorePart(target, line);
  return 0;
}

async function restorePart(
  target: Target,
  line: Exclude<Line, LineOf<'user' | 'bot'>>,
): Promise<void> {
  const { client, tenant: Tenant, endpoints, directoryGroups } = target;
  switch (line.Kind) {
    case 'tenant':
      return;
    case 'role': {
      const { Kind: _kind, ...Role } = line;
      await client.call('Roles_Save', { Role: { Tenant, ...Role } });
      return;
    }
    case 'group': {
      const { Kind: _kind, ...Group } = line;
      if (directoryGroups.has(groupKey(line.Path))) {
        say(`! group ${printable(line.Path)} and its members stay as the directory keeps them`);
        return;
      }
      await client.call('Groups_Save', { Group: { Tenant, ...Group } });
      return;
    }
    case 'group_grant': {
      const { Kind: _kind, ...Grant } = line;
      if (isAlive(Grant)) await client.call('GroupGrants_Add', { Grant: { Tenant, ...Grant } });
      return;
    }
    case 'webhook_endpoint': {
      const { Kind: _kind, ...Endpoint } = line;
      if (endpoints.has(line.URL)) return;
      await client.call('Webhooks_CreateEndpoint', { Endpoint: { Tenant, ...Endpoint } });
      say(
        `! webhook endpoint ${printable(line.Name)} has a new secret: Webhooks_RotateSecret shows one to give to the receiver`,
      );
      return;
    }
    case 'chat_endpoint':
      say(`! chat endpoint ${printable(line.Name)} must be created again: its address is a secret`);
      return;
    default:
      throw new Refusal('the file has a record of a kind that this version does not know');
  }
}

/**
 * Makes a bot, or updates the one of its name. Of several bots with one name none is chosen: the
 * keys of one would get the roles of another.
 */
async function restoreBot(
  { client, tenant: Tenant, bots, botNames }: Target,
  { Kind: _kind, Grants, ...bot }: LineOf<'bot'>,
): Promise<number> {
  const [storedBot, ...more] = bots.get(bot.Name) ?? [];
  if (more.length > 0 || (storedBot !== undefined && botNames.has(bot.Name))) {
    say(`! bot ${printable(bot.Name)}: several bots have this name, so it stays as it is`);
    return 1;
  }
  botNames.add(bot.Name);
  const { Bot } = await client.call('Bots_Save', {
    Bot: { Tenant, ...bot, ...(storedBot !== undefined && { ID: storedBot }) },
  });
  for (const grant of Grants.filter(isAlive))
    await client.call('BotGrants_Add', { Grant: { Tenant, Bot: Bot.ID, ...grant } });
  return 0;
}

/** Whether a grant is still in force. An expired one cannot be made, and gives nothing. */
const isAlive = ({ ExpiresAt }: GrantLine): boolean =>
  ExpiresAt === undefined || Date.parse(ExpiresAt) > Date.now();

/** A role in the whole tenant for ever, which Users_Import gives with the membership. */
const isPlain = ({ Resource, ExpiresAt }: GrantLine): boolean =>
  Resource === '' && ExpiresAt === undefined;

/** Returns the number of users who were refused. */
async function restoreUsers(
  { client, tenant, defaultRole, directoryGroups }: Target,
  lines: ReadonlyArray<LineOf<'user'>>,
): Promise<number> {
  const users = lines.map((line) => ({
    ...line,
    Groups: line.Groups.filter((path) => !directoryGroups.has(groupKey(path))),
  }));
  const verdicts = await sendUsers(
    patientSender({ client, dryRun: false, batchId: randomUUID() }),
    users.map(({ Kind: _kind, Status: _status, Groups, Grants, ...user }) => ({
      ...user,
      Tenants: [{ Tenant: tenant, Roles: Grants.filter(isPlain).map(({ Role }) => Role), Groups }],
    })),
  );
  let failed = 0;
  for (const [index, user] of users.entries()) {
    const verdict = verdicts[index];
    if (verdict && verdict.Result !== 'failed')
      await restoreRights({ client, tenant, defaultRole }, user, verdict);
    else {
      failed++;
      say(`! ${printable(user.Email)}: ${printable(verdict?.Messages.join('; ') ?? '')}`);
    }
  }
  return failed;
}

/** Makes what the membership does not bring along, and for a user of before everything. */
async function restoreRights(
  { client, tenant: Tenant, defaultRole }: Pick<Target, 'client' | 'tenant' | 'defaultRole'>,
  { Status, Groups, Grants }: LineOf<'user'>,
  { UserID, Result }: ImportVerdict,
): Promise<void> {
  const isNew = Result === 'created';
  for (const grant of Grants.filter(isAlive))
    if (!isNew || !isPlain(grant))
      await client.call('Grants_Add', { Grant: { Tenant, UserID, ...grant } });
  if (!isNew)
    for (const Group of Groups) await client.call('Groups_AddMember', { Tenant, Group, UserID });
  // A membership without roles has got the default role.
  if (!Grants.some(isPlain))
    await client.call('Grants_Remove', { Grant: { Tenant, UserID, Role: defaultRole } });
  if (Status === 'disabled') await client.call('TenantMembers_Disable', { Tenant, UserID });
}
