import { encodeJson, type JsonObject, timeOf } from '@bailiwick/contract';
import { type Bot, BotSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import {
  lastPartKey,
  searchIndex,
  type TrigramIndex,
  textKey,
  trigramEntityIndex,
} from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';
import type { Maker } from './maker.ts';

export const botTrigrams: TrigramIndex = {
  name: 'bot_trigrams',
  table: 'bot',
  isOfTenants: true,
  keys: [textKey('name')],
};

/** A program of a tenant that calls the API with its own keys. */
export const BotEntity = defineEntity({
  name: 'Bot',
  tableName: 'bot',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    name: p.text(),
    description: p.text(),
    /** The keys of an inactive bot are refused. */
    active: p.boolean(),
    metadata: p.json<Record<string, string>>(),
    lastUsedAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'bot_id', properties: ['id'] },
    { name: 'bot_created_by', properties: ['createdBy'] },
    ...[
      `bot_name on bot (tenant, (${textKey('name')}), id)`,
      `bot_last_word on bot (tenant, (${lastPartKey('name')}), id)`,
    ].map(searchIndex),
    { name: 'bot_created', properties: ['tenant', 'createdAt', 'id'] },
    trigramEntityIndex(botTrigrams),
  ],
});

/** A key of a bot. Deleting the bot deletes its keys. */
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
    /** null = `createdBy`, for a key of an older version. */
    maker: p.json<Maker>().nullable(),
    /** When the maker's right to grant the bot's rights ends; null = never. */
    latestEnd: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'bot_key_token_hash', properties: ['tokenHash'] }],
  indexes: [
    { name: 'bot_key_bot', properties: ['tenant', 'bot', 'id'] },
    {
      name: 'bot_key_expiry',
      properties: ['tenant', 'expiresAt'],
      where: "revoked_at is null and rotated_to = ''",
    },
    { name: 'bot_key_notice_at', properties: ['noticeAt'], where: 'notice_at is not null' },
  ],
});

/** A token of another issuer that a bot authenticates with. Deleting the bot deletes its trusts. */
export const BotTrustEntity = defineEntity({
  name: 'BotTrust',
  tableName: 'bot_trust',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    bot: p.text(),
    issuer: p.text(),
    audience: p.text(),
    /** The whole subject, or its beginning and "*". */
    subject: p.text(),
    /** Further claims, like the subject. */
    claims: p.json<Record<string, string>>(),
    /** The issuer's public keys; "" = they are fetched from the issuer. */
    jwks: p.text().default(''),
    createdBy: p.text(),
    /** The last one who saved it. null = `createdBy`, for a trust of an older version. */
    maker: p.json<Maker>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'bot_trust_bot', properties: ['tenant', 'bot', 'id'] }],
});

export type BotTrustRow = {
  tenant: string;
  id: string;
  bot: string;
  issuer: string;
  audience: string;
  subject: string;
  claims: Record<string, string>;
  jwks: string;
  createdBy: string;
  createdAt: Date | string;
  updatedAt: Date | string;
};

export type BotRow = {
  tenant: string;
  id: string;
  name: string;
  description: string;
  active: boolean;
  metadata: Record<string, string>;
  lastUsedAt?: Date | string | null | undefined;
  createdBy: string;
  createdAt: Date | string;
  updatedAt: Date | string;
};

/**
 * The record as the API returns it. Times are Dates from an entity, and PostgreSQL text from a
 * prepared statement.
 */
export function botRecord(row: BotRow): Bot {
  return create(BotSchema, {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    description: row.description,
    active: row.active,
    metadata: { items: row.metadata },
    ...(row.lastUsedAt ? { lastUsedAt: timeOf(row.lastUsedAt) } : {}),
    createdBy: row.createdBy,
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  });
}

/** The record in documented JSON, as in events. */
export const botJson = (row: BotRow): JsonObject => encodeJson(BotSchema, botRecord(row));
