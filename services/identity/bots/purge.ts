import { record } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';
import { BotEntity, botJson } from './entities.ts';
import { targetOf } from './save.ts';

const batch = 500;

/**
 * Deletes the bots of a purged tenant, with an event each: access removes their platform grants
 * when it receives it.
 */
export async function removeBots(tx: Transaction, tenant: string): Promise<void> {
  for (;;) {
    const bots = await tx.em.find(BotEntity, {}, { limit: batch });
    if (bots.length === 0) return;
    for (const bot of bots) {
      record(tx, {
        tenant,
        type: 'bot.deleted',
        data: botJson(bot),
        targets: [targetOf(bot)],
      });
      tx.em.remove(bot);
    }
    // Frees the written entities. A batch of bots fits in memory.
    await tx.em.flush();
    tx.em.clear();
  }
}
