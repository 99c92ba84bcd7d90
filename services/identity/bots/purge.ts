import { type Origin, recordChange } from '@bailiwick/outbox';
import type { EntityManager } from '@bailiwick/store';
import { BotEntity, botJson } from './entities.ts';
import { targetOf } from './save.ts';

const batch = 500;

/**
 * Deletes the bots of a purged tenant, with an event each: access removes their platform grants
 * when it receives it.
 */
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
    // Frees the written entities. A batch of bots fits in memory.
    await em.flush();
    em.clear();
  }
}
