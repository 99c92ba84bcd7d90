import { assertUnchanged, changedFields, createId, timeAfter } from '@bailiwick/contract';
import { limitReached, notFound } from '@bailiwick/errors';
import { type Change, record, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import {
  type Bot,
  BotSchema,
  type BotsSaveRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import { type Database, lockName, type Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { LockMode } from '@mikro-orm/core';
import { botsPerTenant } from '../limits.ts';
import { liftLocks } from '../receipts/queries.ts';
import { rowOf } from '../rows.ts';
import { BotEntity, type BotRow, botJson } from './entities.ts';

/**
 * Creates a bot if no ID is sent, or changes the fields that were sent. Saving unchanged values
 * changes nothing. `tasks`: the mails about a switch on or off.
 */
export async function saveBot(
  database: Database,
  request: BotsSaveRequest,
  call: Call,
  tasks: Task[],
): Promise<BotRow> {
  const input = request.bot ?? create(BotSchema);
  return database.transaction(
    { call, tenant: input.tenant, row: rowOf.bot(input.tenant, input.id) },
    async (tx) => {
      const stored =
        input.id === ''
          ? null
          : await tx.em.findOne(
              BotEntity,
              { id: input.id },
              { lockMode: LockMode.PESSIMISTIC_WRITE },
            );
      if (input.id !== '' && !stored) throw notFound('bot');
      assertUnchanged('the bot', stored, request.ifUpdatedAt);
      if (!stored) return insertBot(tx, input, call);
      const before = botJson(stored);
      const wasActive = stored.active;
      applyTo(stored, input);
      const previous = changedFields(before, botJson(stored));
      if (Object.keys(previous).length === 0) return stored;
      stored.updatedAt = timeAfter(stored.updatedAt);
      const isSwitched = stored.active !== wasActive;
      if (isSwitched && stored.active) await liftLocks(tx, stored.id);
      recordBot(tx, 'bot.updated', stored, { previous, ...(isSwitched && { tasks }) });
      return stored;
    },
  );
}

async function insertBot(tx: Transaction, input: Bot, call: Call): Promise<BotRow> {
  // Without the lock, two concurrent calls could both take the last place.
  await lockName(tx, rowOf.bots(input.tenant));
  if ((await tx.em.count(BotEntity, { tenant: input.tenant })) >= botsPerTenant)
    throw limitReached(`a tenant has at most ${botsPerTenant} bots`, botsPerTenant);
  const now = new Date();
  const bot = tx.em.create(BotEntity, {
    tenant: input.tenant,
    id: createId('bot'),
    name: '',
    description: '',
    active: true,
    metadata: {},
    lastUsedAt: null,
    createdBy: call.caller.id,
    createdAt: now,
    updatedAt: now,
  });
  applyTo(bot, input);
  tx.em.persist(bot);
  recordBot(tx, 'bot.created', bot);
  return bot;
}

// Fields that were not sent keep their values.
function applyTo(bot: BotRow, input: Bot): void {
  bot.name = input.name ?? bot.name;
  bot.description = input.description ?? bot.description;
  bot.active = input.active ?? bot.active;
  if (input.metadata) bot.metadata = { ...input.metadata.items };
}

export function recordBot(
  tx: Transaction,
  type: string,
  bot: BotRow,
  more: Pick<Change, 'previous' | 'tasks' | 'reason'> = {},
): void {
  record(tx, {
    tenant: bot.tenant,
    type,
    data: botJson(bot),
    ...more,
    targets: [targetOf(bot)],
  });
}

export const targetOf = ({ id, name }: Pick<BotRow, 'id' | 'name'>) => ({
  Type: 'bot',
  ID: id,
  Name: name,
});
