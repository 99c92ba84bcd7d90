import { encodeJson, type JsonObject, timeOf } from '@bailiwick/contract';
import {
  type BotKey,
  BotKeySchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { create } from '@bufbuild/protobuf';

export type BotKeyRow = {
  tenant: string;
  id: string;
  bot: string;
  name: string;
  prefix: string;
  last4: string;
  permissions: string[];
  allowedIps: string[];
  expiresAt: Date | string;
  lastUsedAt?: Date | string | null | undefined;
  revokedAt?: Date | string | null | undefined;
  rotatedFrom: string;
  latestEnd?: Date | string | null | undefined;
  createdBy: string;
  createdAt: Date | string;
};

/**
 * The record as the API returns it. Times are Dates from an entity, and PostgreSQL text from a
 * prepared statement.
 */
export function botKeyRecord(row: BotKeyRow): BotKey {
  return create(BotKeySchema, {
    id: row.id,
    tenant: row.tenant,
    bot: row.bot,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    permissions: row.permissions,
    allowedIps: row.allowedIps,
    expiresAt: timeOf(row.expiresAt),
    ...(row.lastUsedAt ? { lastUsedAt: timeOf(row.lastUsedAt) } : {}),
    ...(row.revokedAt ? { revokedAt: timeOf(row.revokedAt) } : {}),
    rotatedFrom: row.rotatedFrom,
    createdBy: row.createdBy,
    createdAt: timeOf(row.createdAt),
  });
}

/** The record in documented JSON, as in events. */
export const botKeyJson = (row: BotKeyRow): JsonObject =>
  encodeJson(BotKeySchema, botKeyRecord(row));
