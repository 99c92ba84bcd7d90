import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { type Origin, recordChange } from '@bailiwick/shared/outbox.ts';
import { BotEntity, botJson } from './entities.ts';
import { targetOf } from './save.ts';

const batch = 500;

/** Tells of the bots that go with their tenant: what they were granted on the platform is not the tenant's, and access removes it when it hears of them. */
export async function tellOfBots(em: EntityManager, tenant: string, origin: Origin): Promise<void> {
  for (let after = ''; ; ) {
    const bots = await em.find(BotEntity, { id: { $gt: after } }, { orderBy: { id: 'asc' }, limit: batch });
    for (const bot of bots) recordChange(em, origin, { tenant, type: 'bot.deleted', data: botJson(bot), targets: [targetOf(bot)] });
    const last = bots.at(-1);
    if (!last) return;
    after = last.id;
    // What is written is not kept: no tenant has so many bots that they fill the memory.
    await em.flush();
    em.clear();
  }
}
