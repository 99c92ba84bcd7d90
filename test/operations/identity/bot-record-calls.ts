import { recordIn } from '../../support/answers.ts';
import type { Bot } from '../../support/bots.ts';
import type { Topology } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { eventsOf } from '../../support/store.ts';

export type Bots = Awaited<ReturnType<typeof startBots>>;

/** The stack, an owner and the calls of the suites about bots. */
export async function startBots(topology: Topology) {
  const stack = await sharedStack(topology);
  const { id, token } = await signUp(stack);
  const newTenant = async () => tenantFor(stack, id);
  const save = (bot: object, rest: object = {}) =>
    stack.call('Bots_Save', { Bot: bot, ...rest }, token);
  const saved = async (bot: object, rest: object = {}) =>
    recordIn(await save(bot, rest), 'Bot') as Bot;
  const read = async (Tenant: string, ID: string) =>
    recordIn(await stack.call('Bots_Get', { Tenant, ID }, token), 'Bot') as Bot;
  const botEvents = async (tenant: string) =>
    (await eventsOf(stack, 'identity', tenant)).filter(({ type }) => type.startsWith('bot.'));

  return { stack, id, token, newTenant, save, saved, read, botEvents, stop: () => stack.stop() };
}
