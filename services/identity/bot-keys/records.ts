import type { JsonObject } from '@bailiwick/contract';
import { record, type Task } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';
import { type BotKeyRow, botKeyJson } from './entities.ts';

/** Writes the event of a changed key. Its record has no usable part of the secret. */
export function recordKey(
  tx: Transaction,
  type: string,
  key: BotKeyRow,
  { previous = {}, tasks = [] }: { previous?: JsonObject; tasks?: readonly Task[] } = {},
): void {
  const targets = [
    { Type: 'bot_key', ID: key.id, Name: key.name },
    { Type: 'bot', ID: key.bot, Name: '' },
  ];
  record(tx, { tenant: key.tenant, type, data: botKeyJson(key), previous, targets, tasks });
}
