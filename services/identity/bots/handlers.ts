import { notFound } from '@bailiwick/errors';
import type { Task } from '@bailiwick/outbox';
import {
  type Call,
  type Handlers,
  inOrderOf,
  type Pager,
  readFound,
  readSearch,
} from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type {
  Bots,
  BotsListRequest,
  BotsSaveRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import { BotEntity, BotKeyEntity, BotTrustEntity, botRecord } from './entities.ts';
import { countBots, findBot, findBots, listBots, mostKeys, searchBots } from './queries.ts';
import { recordBot, saveBot } from './save.ts';
import { assertMayTakeBot } from './taking.ts';

type Deps = { database: Database; pager: Pager; authority: PeerClient<typeof Authority>; log: Log };

async function list(
  pager: Pager,
  { tenant, page, ...request }: BotsListRequest,
  { operation, reader }: Call,
) {
  const binding = [operation.name, tenant];
  const search = readSearch(request);
  if (search) {
    const { ids, nextCursor } = await readFound(
      { pager, page, binding, search },
      (criteria, query) => searchBots(reader, tenant, criteria, query),
    );
    const rows = await findBots(reader, tenant, ids);
    const items = inOrderOf(ids, rows, ({ id }) => id);
    return { page: { items: items.map(botRecord), nextCursor } };
  }
  return pager.list(page, binding, (query) => listBots(reader, tenant, query), botRecord);
}

/**
 * Switching a bot off takes all its rights, and switching it on gives them back. Returns the mails
 * about the switch.
 */
async function assertMaySwitch(deps: Deps, { bot }: BotsSaveRequest, call: Call): Promise<Task[]> {
  if (!bot || bot.id === '' || bot.active === undefined) return [];
  const { tenant, id, active } = bot;
  const stored = await findBot(deps.database, tenant, id);
  if (!stored || stored.active === active) return [];
  return assertMayTakeBot(deps, call, { tenant, id });
}

type State = { subject: string; state: 'active' | 'disabled' | 'deleted'; changedAt: Date };

/** Informs access before the response; otherwise the event does. */
async function report(
  { authority, log }: Deps,
  { subject, state, changedAt }: State,
  call: Call,
): Promise<void> {
  try {
    const request = { subject, state, changedAt: timestampFromDate(changedAt) };
    await authority.setSubjectState(request, call);
  } catch (error) {
    log.warn('reporting a bot to access failed, its event follows', { error, bot: subject });
  }
}

export function botsHandlers(deps: Deps): Omit<Handlers<typeof Bots>, 'lock'> {
  const { database } = deps;
  return {
    async save(request, call) {
      const tasks = await assertMaySwitch(deps, request, call);
      const bot = await saveBot(database, request, call, tasks);
      // Grants of an inactive bot are not effective: access is informed before the response, or by
      // the event if this call fails. Invalidates even if nothing changed here: access may learn of
      // an earlier change only now.
      if (request.bot?.id) call.invalidates.add(`bot:${bot.id}`);
      const state = bot.active ? 'active' : 'disabled';
      const changedAt = new Date(bot.updatedAt);
      await report(deps, { subject: bot.id, state, changedAt }, call);
      return { bot: botRecord(bot) };
    },

    async get({ tenant, id }) {
      const bot = await findBot(database, tenant, id);
      if (!bot) throw notFound('bot');
      return { bot: botRecord(bot) };
    },

    list: (request, call) => list(deps.pager, request, call),

    async getCounts({ tenant }, { reader }) {
      const { active, inactive, expiringKeys } = await countBots(reader, tenant);
      return {
        active: { value: active },
        inactive: { value: inactive },
        expiringKeys: {
          value: Math.min(expiringKeys, mostKeys),
          hasMore: expiringKeys > mostKeys,
        },
      };
    },

    async delete({ tenant, id }, call) {
      const stored = await findBot(database, tenant, id);
      const tasks = stored ? await assertMayTakeBot(deps, call, { tenant, id }) : [];
      const isDeleted = await database.transaction(
        { call, tenant, row: rowOf.bot(tenant, id) },
        async (tx) => {
          const bot = await tx.em.findOne(
            BotEntity,
            { id },
            { lockMode: LockMode.PESSIMISTIC_WRITE },
          );
          // Even if it is gone: the call that has deleted it may not have replied yet.
          call.invalidates.add(`bot:${id}`);
          if (!bot) return false;
          // Deletes the keys and trusts with the bot, as one change. access removes the grants when
          // it receives the event.
          await tx.em.nativeDelete(BotKeyEntity, { tenant, bot: id });
          await tx.em.nativeDelete(BotTrustEntity, { tenant, bot: id });
          tx.em.remove(bot);
          recordBot(tx, 'bot.deleted', bot, { tasks });
          return true;
        },
      );
      // Only after a deletion: otherwise the id in the request may belong to another tenant.
      if (isDeleted)
        await report(deps, { subject: id, state: 'deleted', changedAt: new Date() }, call);
      return {};
    },
  };
}
