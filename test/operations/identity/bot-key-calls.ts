import { bodyOf, recordIn } from '../../support/answers.ts';
import {
  type Bot,
  type BotKey,
  createBot,
  createKey,
  grantBotInStore,
  type NewKey,
} from '../../support/bots.ts';
import type { Topology } from '../../support/harness.ts';
import { createTenant, signUp, tenantFor } from '../../support/people.ts';
import { settledStack } from '../../support/shared.ts';
import { eventsOf } from '../../support/store.ts';

export const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

export type BotCalls = Awaited<ReturnType<typeof startBotCalls>>;

/** The stack, an owner with a tenant, and the calls of the suites about calls with a bot key. */
export async function startBotCalls(topology: Topology) {
  const stack = await settledStack(topology);
  const owner = await signUp(stack);
  const Tenant = await createTenant(stack, owner.token);
  /** Creates a bot of the tenant with a role, and a key. */
  async function botWith(role: string, fields: object = {}): Promise<{ bot: Bot } & NewKey> {
    const bot = await createBot(stack, Tenant, owner.token);
    await grantBotInStore(stack, bot, role);
    return { bot, ...(await createKey(stack, bot, owner.token, fields)) };
  }
  const groups = (secret: string, ip?: string) =>
    stack.call(
      'Groups_List',
      { Tenant },
      secret,
      ip === undefined ? {} : { 'x-forwarded-for': ip },
    );
  const expire = (key: BotKey, ExpiresAt: string) =>
    stack.call('BotKeys_SetExpiration', { Tenant, ID: key.ID, ExpiresAt }, owner.token);
  const read = async <Row>(operation: string, ID: string, key: string) =>
    recordIn(await stack.call(operation, { Tenant, ID }, owner.token), key) as Row;

  return { stack, owner, Tenant, botWith, groups, expire, read, stop: () => stack.stop() };
}

export type BotKeys = Awaited<ReturnType<typeof startBotKeys>>;

/** The stack, an owner and the calls of the suites about the operations on bot keys. */
export async function startBotKeys(topology: Topology) {
  const stack = await settledStack(topology);
  const { id, token } = await signUp(stack);
  const newBot = async (Settings?: object): Promise<Bot> =>
    createBot(stack, await tenantFor(stack, id, Settings), token);
  const newKey = (bot: Bot, fields?: object) => createKey(stack, bot, token, fields);
  const read = async ({ Tenant, ID }: BotKey) =>
    recordIn(await stack.call('BotKeys_Get', { Tenant, ID }, token), 'Key') as BotKey;
  const expire = ({ Tenant, ID }: BotKey, ExpiresAt: string) =>
    stack.call('BotKeys_SetExpiration', { Tenant, ID, ExpiresAt }, token);
  const rotate = ({ Tenant, ID }: BotKey, credential = token, fields: object = {}) =>
    stack.call('BotKeys_Rotate', { Tenant, ID, ...fields }, credential);
  const rotated = async (key: BotKey, credential?: string, fields?: object) =>
    bodyOf(await rotate(key, credential, fields)) as unknown as NewKey;
  /** A known key without permissions is 403, one that has ended 401. */
  const statusOf = async ({ Secret, Key }: NewKey) =>
    (await stack.call('Groups_List', { Tenant: Key.Tenant }, Secret)).status;
  const keyEvents = async (tenant: string) =>
    (await eventsOf(stack, 'identity', tenant)).filter(({ type }) => type.startsWith('bot_key.'));

  return {
    stack,
    id,
    token,
    newBot,
    newKey,
    read,
    expire,
    rotate,
    rotated,
    statusOf,
    keyEvents,
    stop: () => stack.stop(),
  };
}
