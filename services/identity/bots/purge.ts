import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { type Origin, recordChange } from '@bailiwick/shared/outbox.ts';
import { BotEntity, botJson } from './entities.ts';
import { targetOf } from './save.ts';

const batch = 500;

/** Removes the bots that go with their tenant, and tells of them: what they were granted on the platform is not the tenant's, and access removes it when it hears of them. */
export async function removeBots(em: EntityManager, tenant: string, origin: Origin): Promise<void> {
  for (;;) {
    const bots = await em.find(BotEntity, {}, { limit: batch });
    if (bots.length === 0) return;
    for (const bot of bots) {
      recordChange(em, origin, {
        tenant,
        type: 'bot.deleted',
        data: botJson(bot),
        targets: [targetOf(bot)],
      });
      em.remove(bot);
    }
    // What is written is not kept: no tenant has so many bots that they fill the memory.
    await em.flush();
    em.clear();
  }
}
