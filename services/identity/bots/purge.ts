import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { type Origin, recordChange } from '@bailiwick/shared/outbox.ts';
import { BotEntity, botJson } from './entities.ts';
import { targetOf } from './save.ts';

/** Tells of the bots that go with their tenant: what they were granted on the platform is not the tenant's, and access removes it when it hears of them. */
export async function tellOfBots(em: EntityManager, tenant: string, origin: Origin): Promise<void> {
  for (const bot of await em.find(BotEntity, {})) recordChange(em, origin, { tenant, type: 'bot.deleted', data: botJson(bot), targets: [targetOf(bot)] });
}
