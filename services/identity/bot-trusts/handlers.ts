import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { BotTrusts } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_trusts_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { BotTrustEntity } from '../bots/entities.ts';
import { findBot } from '../bots/queries.ts';
import { rowOf } from '../rows.ts';
import { findBotTrust, listBotTrusts } from './queries.ts';
import { recordTrust, trustRecord } from './records.ts';
import { saveTrust, type TrustDeps } from './save.ts';

export function botTrustsHandlers(deps: TrustDeps): Handlers<typeof BotTrusts> {
  const { database, pager } = deps;
  return {
    async save(request, call) {
      return { trust: trustRecord(await saveTrust(deps, request, call)) };
    },

    async get({ tenant, id }) {
      const trust = await findBotTrust(database, tenant, id);
      if (!trust) throw notFound('bot trust');
      return { trust: trustRecord(trust) };
    },

    async list({ tenant, bot, page }, { operation }) {
      if (!(await findBot(database, tenant, bot))) throw notFound('bot');
      const binding = [operation.name, tenant, bot];
      return pager.list(
        page,
        binding,
        (query) => listBotTrusts(database, tenant, bot, query),
        trustRecord,
      );
    },

    async delete({ tenant, id }, call) {
      await database.transaction({ call, tenant, row: rowOf.trust(tenant, id) }, async (tx) => {
        const trust = await tx.em.findOne(
          BotTrustEntity,
          { id },
          { lockMode: LockMode.PESSIMISTIC_WRITE },
        );
        // Ends the tokens that the bot got by this trust. Even if it is gone: the call that has deleted
        // it may not have replied yet.
        call.invalidates.add(`credential:${id}`);
        if (!trust) return;
        tx.em.remove(trust);
        recordTrust(tx, 'bot_trust.deleted', trust);
      });
      return {};
    },
  };
}
