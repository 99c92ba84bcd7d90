import { timeOf } from '@bailiwick/contract';
import type {
  LockReceiptRowSchema,
  LockReceiptSchema,
} from '@bailiwick/proto/gen/bailiwick/common/v1/lock_receipt_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';

/** The receipt of a lock. */
export const LockReceiptEntity = defineEntity({
  name: 'LockReceipt',
  tableName: 'lock_receipt',
  properties: {
    id: p.string().primary().columnType('text'),
    subject: p.text(),
    /** Not named "tenant": a receipt has rows of several. The tenant of a bot or app; '' = a user, or an app of the platform. */
    subjectTenant: p.text(),
    reason: p.text(),
    /** The user or bot that locked; platform for the platform key. */
    lockedBy: p.text(),
    lockedAt: p.datetime(3),
    /** When every cache had dropped the user and every app was known. */
    completedAt: p.datetime(3).nullable(),
    /** The last look for the states of its rows. */
    checkedAt: p.datetime(3),
    finalAt: p.datetime(3).nullable(),
    liftedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'lock_receipt_open', properties: ['checkedAt'], where: 'final_at is null' },
    { name: 'lock_receipt_subject', properties: ['subject', 'lockedAt'] },
    { name: 'lock_receipt_locked_at', properties: ['lockedAt'] },
  ],
});

/** A holder of something that a lock ends. */
export const LockReceiptRowEntity = defineEntity({
  name: 'LockReceiptRow',
  tableName: 'lock_receipt_row',
  properties: {
    receipt: p.string().primary().columnType('text'),
    kind: p.string().primary().columnType('text').$type<RowKind>(),
    holder: p.string().primary().columnType('text'),
    sessionId: p.string().primary().columnType('text'),
    tenant: p.text(),
    name: p.text(),
    state: p.text().$type<RowState>(),
    at: p.datetime(3),
    endsAt: p.datetime(3).nullable(),
    detail: p.text(),
    followers: p.integer(),
    /** The sign-out in sso that the state comes from; '' = none. */
    signOut: p.text(),
  },
  indexes: [{ name: 'lock_receipt_row_tenant', properties: ['tenant'] }],
});

export type RowKind = 'cache' | 'changes' | 'session' | 'token' | 'bot' | 'app';
export type RowState = 'dropped' | 'ends' | 'accepted' | 'waiting' | 'failed' | 'unknown' | 'kept';

/** The columns of a receipt. The driver returns times of prepared statements as text. */
export type ReceiptRow = {
  id: string;
  subject: string;
  subjectTenant: string;
  reason: string;
  lockedBy: string;
  lockedAt: Date | string;
  completedAt: Date | string | null;
  finalAt: Date | string | null;
  liftedAt: Date | string | null;
};

/** The columns of a row of a receipt. */
export type HolderRow = {
  kind: RowKind;
  holder: string;
  sessionId: string;
  tenant: string;
  name: string;
  state: RowState;
  at: Date | string;
  endsAt: Date | string | null;
  detail: string;
  followers: number;
  signOut: string;
};

/** The part of a receipt that a view shows: all of it, or the rows of a tenant. */
export type ReceiptView = { rowsOf: string; isWhole: boolean };
export const wholeReceipt: ReceiptView = { rowsOf: '', isWhole: true };

/** The record of a receipt; for a tenant without what belongs to the platform. */
export const receiptRecord = (
  receipt: ReceiptRow,
  rows: readonly HolderRow[],
  { rowsOf, isWhole }: ReceiptView,
): MessageInitShape<typeof LockReceiptSchema> => ({
  id: receipt.id,
  subject: receipt.subject,
  ...(isWhole ? { reason: receipt.reason, by: receipt.lockedBy } : { tenant: rowsOf }),
  at: timeOf(receipt.lockedAt),
  final: isWhole ? receipt.finalAt !== null : isSettled(receipt, rows),
  ...(receipt.liftedAt && { liftedAt: timeOf(receipt.liftedAt) }),
  rows: rows.map(rowRecord),
});

/** Whether no row of a tenant changes any more: those of other tenants may. */
const isSettled = ({ completedAt }: ReceiptRow, rows: readonly HolderRow[]): boolean =>
  completedAt !== null && rows.every(({ state }) => state !== 'waiting');

const rowRecord = (row: HolderRow): MessageInitShape<typeof LockReceiptRowSchema> => ({
  holder: row.holder,
  kind: row.kind,
  name: row.name,
  tenant: row.tenant,
  state: row.state,
  at: timeOf(row.at),
  ...(row.endsAt && { endsAt: timeOf(row.endsAt) }),
  detail: row.detail,
  sessionId: row.sessionId,
  followers: row.followers,
});
