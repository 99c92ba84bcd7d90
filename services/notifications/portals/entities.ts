import { timeOf } from '@bailiwick/contract';
import type { WebhookPortalSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/portals_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';

/** A link to the portal of a webhook endpoint, with its only session. */
export const WebhookPortalEntity = defineEntity({
  name: 'WebhookPortal',
  tableName: 'webhook_portal',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    endpoint: p.text(),
    name: p.text(),
    abilities: p.array().columnType('text[]'),
    tokenHash: p.blob(),
    expiresAt: p.datetime(3),
    /** user, bot or platform. The link works while its creator holds the permission. */
    creatorType: p.text(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    lastOpenedAt: p.datetime(3).nullable(),
    /** The link has no session without it, and after `sessionExpiresAt`. */
    sessionHash: p.blob().nullable(),
    sessionExpiresAt: p.datetime(3).nullable(),
  },
  uniques: [
    { name: 'webhook_portal_token_hash', properties: ['tokenHash'] },
    { name: 'webhook_portal_session_hash', properties: ['sessionHash'] },
  ],
  indexes: [
    { name: 'webhook_portal_endpoint', properties: ['tenant', 'endpoint', 'id'] },
    { name: 'webhook_portal_expiry', properties: ['expiresAt'] },
  ],
});

/** The columns that the API record exposes. The driver returns times of statements as text. */
export type PortalColumns = {
  tenant: string;
  id: string;
  endpoint: string;
  name: string;
  abilities: string[];
  expiresAt: Date | string;
  createdBy: string;
  createdAt: Date | string;
  lastOpenedAt?: Date | string | null | undefined;
};

export function portalRecord(row: PortalColumns): MessageInitShape<typeof WebhookPortalSchema> {
  return {
    id: row.id,
    tenant: row.tenant,
    endpoint: row.endpoint,
    name: row.name,
    abilities: row.abilities,
    expiresAt: timeOf(row.expiresAt),
    createdAt: timeOf(row.createdAt),
    createdBy: row.createdBy,
    ...(row.lastOpenedAt ? { lastOpenedAt: timeOf(row.lastOpenedAt) } : {}),
  };
}
