import {
  type DomainRecord,
  DomainRecordSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import { timeOf } from '@bailiwick/shared/times.ts';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';
import { txtName, txtValue } from './proof/challenge.ts';

export type DomainStatus = 'pending' | 'verified' | 'lapsed' | 'failed';
export type Capture = 'off' | 'suggest' | 'join' | 'require_sso';

/** A mail domain of a tenant. Only the tenant whose claim is verified may steer where its people sign in. */
export const DomainEntity = defineEntity({
  name: 'Domain',
  tableName: 'domain',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** Lower-case punycode. */
    name: p.text(),
    /** As it is stored: a claim whose time has passed stays pending until the sweeper has told of it. */
    status: p.text().$type<DomainStatus>(),
    capture: p.text().$type<Capture>(),
    /** "" = the tenant's default role. */
    defaultRole: p.text().default(''),
    /** What the TXT record has to hold. It is published, so it is stored as it is. */
    challenge: p.text().default(''),
    /** Until then a pending claim can be proved. */
    challengeExpiresAt: p.datetime(3).defaultRaw('now()'),
    verifiedAt: p.datetime(3).nullable(),
    lastCheckedAt: p.datetime(3).nullable(),
    failureReason: p.text().default(''),
    /** Days on which the record was found missing, one after the other. */
    failedDays: p.integer().default(0),
    /** When a domain that is or was verified is looked up again. */
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

/** Until when a tenant's owners may use their passwords although its domains require single sign-on. */
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
  challenge: string;
  challengeExpiresAt: Date | string;
  verifiedAt?: Date | string | null | undefined;
  lastCheckedAt?: Date | string | null | undefined;
  failureReason: string;
  failedDays: number;
  createdAt: Date | string;
};

/** The record as the API returns it. Its times are a Date from an entity, PostgreSQL's text from a prepared statement. */
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

/** The record in documented JSON, as events carry it. */
export const domainJson = (row: DomainRow): JsonObject =>
  encodeJson(DomainRecordSchema, domainRecord(row));
