import {
  type BotKey,
  BotKeySchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import { timeOf } from '@bailiwick/values';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';

export const BotKeyEntity = defineEntity({
  name: 'BotKey',
  tableName: 'bot_key',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    bot: p.text(),
    name: p.text(),
    /** SHA-256 of the secret. The secret itself is not stored. */
    tokenHash: p.blob(),
    prefix: p.text(),
    last4: p.text().name('last4'),
    /** The permissions that the key is narrowed to; empty = all of its bot's. */
    permissions: p.array().columnType('text[]'),
    allowedIps: p.array().columnType('text[]'),
    expiresAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** The predecessor and the successor of a rotated key; "" = none. */
    rotatedFrom: p.text(),
    rotatedTo: p.text(),
    /** When the next event about the expiry is due; null = no more events. */
    noticeAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'bot_key_token_hash', properties: ['tokenHash'] }],
  indexes: [
    { name: 'bot_key_bot', properties: ['tenant', 'bot', 'id'] },
    { name: 'bot_key_notice_at', properties: ['noticeAt'], where: 'notice_at is not null' },
  ],
});

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
