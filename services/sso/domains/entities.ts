import { encodeJson, type JsonObject, timeOf } from '@bailiwick/contract';
import {
  type DomainRecord,
  DomainRecordSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';
import type { StoredGiver } from '../delegation.ts';
import { txtName, txtValue } from './proof/challenge.ts';

export type DomainStatus = 'pending' | 'verified' | 'lapsed' | 'failed';
export type Capture = 'off' | 'suggest' | 'join' | 'require_sso';

/**
 * A mail domain of a tenant. Only the tenant with the verified claim controls how its users sign
 * in.
 */
export const DomainEntity = defineEntity({
  name: 'Domain',
  tableName: 'domain',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** Lower-case punycode. */
    name: p.text(),
    /**
     * The stored status: an expired claim stays pending until the sweeper publishes its failure.
     */
    status: p.text().$type<DomainStatus>(),
    capture: p.text().$type<Capture>(),
    /** "" = the tenant's default role. */
    defaultRole: p.text().default(''),
    /** The last saver of the settings. */
    giver: p.json<StoredGiver>().nullable(),
    /** The required content of the TXT record. It is public, so it is not sealed. */
    challenge: p.text().default(''),
    /** The end of the time to prove a pending claim. */
    challengeExpiresAt: p.datetime(3).defaultRaw('now()'),
    verifiedAt: p.datetime(3).nullable(),
    lastCheckedAt: p.datetime(3).nullable(),
    failureReason: p.text().default(''),
    /** Consecutive days on which the record was missing. */
    failedDays: p.integer().default(0),
    /** The next look-up by the service. null: a failed claim, or a claim of an earlier version. */
    nextCheckAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    { name: 'domain_tenant_name', properties: ['tenant', 'name'] },
    { name: 'domain_verified', properties: ['name'], where: "status = 'verified'" },
  ],
  indexes: [
    { name: 'domain_name', properties: ['name'] },
    { name: 'domain_expiry', properties: ['challengeExpiresAt'], where: "status = 'pending'" },
    { name: 'domain_next_check', properties: ['nextCheckAt'], where: 'next_check_at is not null' },
  ],
});

/**
 * The end of a lift: until then a tenant's owners may use passwords although its domains require
 * SSO.
 */
export const SsoLiftEntity = defineEntity({
  name: 'SsoLift',
  tableName: 'sso_lift',
  properties: {
    tenant: p.string().primary().columnType('text'),
    until: p.datetime(3),
  },
});

export type DomainRow = {
  tenant: string;
  id: string;
  name: string;
  status: DomainStatus;
  capture: Capture;
  defaultRole: string;
  giver?: StoredGiver | null | undefined;
  challenge: string;
  challengeExpiresAt: Date | string;
  verifiedAt?: Date | string | null | undefined;
  lastCheckedAt?: Date | string | null | undefined;
  failureReason: string;
  failedDays: number;
  createdAt: Date | string;
};

/**
 * The API record. Times are a Date from an entity, or PostgreSQL's text from a prepared statement.
 */
export function domainRecord(row: DomainRow): DomainRecord {
  return create(DomainRecordSchema, {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    status: row.status,
    txtName: txtName(row.name),
    txtValue: txtValue(row.challenge),
    capture: row.capture,
    defaultRole: row.defaultRole,
    ...(row.verifiedAt ? { verifiedAt: timeOf(row.verifiedAt) } : {}),
    ...(row.lastCheckedAt ? { lastCheckedAt: timeOf(row.lastCheckedAt) } : {}),
    failureReason: row.failureReason,
    challengeExpiresAt: timeOf(row.challengeExpiresAt),
    createdAt: timeOf(row.createdAt),
  });
}

/** The API record in documented JSON, as events carry it. */
export const domainJson = (row: DomainRow): JsonObject =>
  encodeJson(DomainRecordSchema, domainRecord(row));
