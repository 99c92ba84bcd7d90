import { timeOf } from '@bailiwick/contract';
import {
  type AuditEntry,
  AuditEntrySchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import { searchIndex } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';
import type { EntryChange, EntryTarget } from './chain.ts';

/** One change or refused call. Append-only: the service's role may not change or delete rows. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  comment: 'append-only',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    seq: p.integer(),
    occurredAt: p.datetime(3),
    action: p.text(),
    operation: p.text(),
    result: p.text(),
    code: p.text(),
    actorType: p.text(),
    actorId: p.text(),
    credentialId: p.text(),
    targets: p.json<EntryTarget[]>(),
    /** The ids of the targets, for the search index. */
    targetIds: p.array().columnType('text[]'),
    permission: p.text(),
    grantId: p.text(),
    ip: p.text(),
    userAgent: p.text(),
    requestId: p.text(),
    traceId: p.text(),
    changes: p.json<EntryChange[]>(),
    prevHash: p.text(),
    hash: p.text(),
  },
  uniques: [{ name: 'audit_entry_seq', properties: ['tenant', 'seq'] }],
  indexes: [
    { name: 'audit_entry_actor', properties: ['actorId', 'id'] },
    { name: 'audit_entry_of_actor', properties: ['tenant', 'actorId', 'seq'] },
    { name: 'audit_entry_action', properties: ['tenant', 'action', 'seq'] },
    { name: 'audit_entry_operation', properties: ['tenant', 'operation', 'seq'] },
    { name: 'audit_entry_ip', properties: ['tenant', 'ip', 'seq'] },
    {
      name: 'audit_entry_result',
      properties: ['tenant', 'result', 'seq'],
      where: `result <> 'success'`,
    },
    { name: 'audit_entry_time', properties: ['tenant', 'occurredAt', 'seq'] },
    // Of all tenants: for processes of the version before this one.
    { name: 'audit_entry_target', properties: ['targetIds'], type: 'gin' },
    searchIndex(
      'audit_entry_target_key on audit_entry using gin (audit_target_keys(tenant, target_ids))',
    ),
  ],
});

/** The last link of a tenant's chain. Appending locks this row. */
export const AuditHeadEntity = defineEntity({
  name: 'AuditHead',
  tableName: 'audit_head',
  properties: {
    tenant: p.string().primary().columnType('text'),
    seq: p.integer(),
    hash: p.text(),
  },
});

/** Where a tenant's chain begins after its older entries were dropped. */
export const AuditCheckpointEntity = defineEntity({
  name: 'AuditCheckpoint',
  tableName: 'audit_checkpoint',
  properties: {
    tenant: p.string().primary().columnType('text'),
    seq: p.integer(),
    hash: p.text(),
    signature: p.text(),
    createdAt: p.datetime(3),
  },
});

export type AuditRow = {
  tenant: string;
  id: string;
  seq: number;
  occurredAt: Date | string;
  action: string;
  operation: string;
  result: string;
  code: string;
  actorType: string;
  actorId: string;
  credentialId: string;
  targets: EntryTarget[];
  permission: string;
  grantId: string;
  ip: string;
  userAgent: string;
  requestId: string;
  traceId: string;
  changes: EntryChange[];
  prevHash: string;
  hash: string;
};

export function toAuditEntry(row: AuditRow): AuditEntry {
  return create(AuditEntrySchema, {
    id: row.id,
    tenant: row.tenant,
    seq: row.seq,
    occurredAt: timeOf(row.occurredAt),
    action: row.action,
    operation: row.operation,
    result: row.result,
    code: row.code,
    actorType: row.actorType,
    actorId: row.actorId,
    credentialId: row.credentialId,
    targets: row.targets.map(({ Type, ID, Name }) => ({ type: Type, id: ID, name: Name })),
    permission: row.permission,
    grantId: row.grantId,
    ip: row.ip,
    userAgent: row.userAgent,
    requestId: row.requestId,
    traceId: row.traceId,
    changes: row.changes.map(({ Field, Old, New }) => ({ field: Field, old: Old, new: New })),
    prevHash: row.prevHash,
    hash: row.hash,
  });
}
