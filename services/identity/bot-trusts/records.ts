import { encodeJson, type JsonObject, timeOf } from '@bailiwick/contract';
import { record, type Task } from '@bailiwick/outbox';
import {
  type BotTrust,
  BotTrustSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_trusts_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import type { BotTrustRow } from '../bots/entities.ts';

export function trustRecord(row: BotTrustRow): BotTrust {
  return create(BotTrustSchema, {
    id: row.id,
    tenant: row.tenant,
    bot: row.bot,
    issuer: row.issuer,
    audience: row.audience,
    subject: row.subject,
    claims: { items: row.claims },
    jwks: row.jwks,
    createdBy: row.createdBy,
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  });
}

/** The record in documented JSON, as in events. */
export const trustJson = (row: BotTrustRow): JsonObject =>
  encodeJson(BotTrustSchema, trustRecord(row));

export function recordTrust(
  tx: Transaction,
  type: string,
  row: BotTrustRow,
  { previous = {}, tasks = [] }: { previous?: JsonObject; tasks?: readonly Task[] } = {},
): void {
  const targets = [
    { Type: 'bot_trust', ID: row.id, Name: row.subject },
    { Type: 'bot', ID: row.bot, Name: '' },
  ];
  record(tx, { tenant: row.tenant, type, data: trustJson(row), previous, targets, tasks });
}
