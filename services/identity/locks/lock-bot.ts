import { changedFields, createId, timeAfter } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Task } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Bots, BotsLockRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { BotEntity, type BotRow, botJson, botRecord } from '../bots/entities.ts';
import { findBot } from '../bots/queries.ts';
import { recordBot } from '../bots/save.ts';
import { assertMayTakeBot } from '../bots/taking.ts';
import { type ReceiptRow, receiptRecord, wholeReceipt } from '../receipts/entities.ts';
import { addReceipt, findReceipt, findReceiptOfLock, listRows } from '../receipts/queries.ts';
import { rowOf } from '../rows.ts';
import { completeLock, type LockDeps } from './follow.ts';

/** Locks a bot: it is inactive from the reply on, and the receipt says who held its rights. */
export const botLockHandler = (deps: LockDeps): Pick<Handlers<typeof Bots>, 'lock'> => ({
  async lock(request, call) {
    const { tenant, id } = request;
    const { database } = deps;
    if (!(await findBot(database, tenant, id))) throw notFound('bot');
    const tasks = await assertMayTakeBot(deps, call, { tenant, id });
    const { bot, receipt } = await database.transaction(
      { call, tenant, row: rowOf.bot(tenant, id) },
      (tx) => lockBot(tx, request, tasks, call),
    );
    // Even if the bot was locked: the call that has locked it may not have replied yet.
    call.invalidates.add(`bot:${id}`);
    const stored = await findReceipt(database, receipt);
    if (!stored) return { bot: botRecord(bot) };
    await completeLock(deps, stored, call);
    const present = (await findReceipt(database, receipt)) ?? stored;
    const rows = await listRows(database, receipt, '');
    return { bot: botRecord(bot), receipt: receiptRecord(present, rows, wholeReceipt) };
  },
});

async function lockBot(
  tx: Transaction,
  { tenant, id: subject, reason: input }: BotsLockRequest,
  tasks: Task[],
  call: Call,
): Promise<{ bot: BotRow; receipt: ReceiptRow['id'] }> {
  const bot = await tx.em.findOne(
    BotEntity,
    { id: subject },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!bot) throw notFound('bot');
  const existing = bot.active ? undefined : await findReceiptOfLock(tx, subject, bot.updatedAt);
  if (existing) return { bot, receipt: existing.id };
  const before = botJson(bot);
  bot.active = false;
  bot.updatedAt = timeAfter(bot.updatedAt);
  const id = createId('lck');
  const lockedBy = call.caller.id;
  const reason = input.trim();
  await addReceipt(tx, {
    id,
    subject,
    subjectTenant: tenant,
    reason,
    lockedBy,
    lockedAt: bot.updatedAt,
  });
  const previous = changedFields(before, botJson(bot));
  recordBot(tx, 'bot.updated', bot, { previous, tasks, ...(reason !== '' && { reason }) });
  return { bot, receipt: id };
}
