import { encodeJson, isId } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import { LockReceiptSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/lock_receipt_pb.ts';
import type { LockReceipts } from '@bailiwick/proto/gen/bailiwick/identity/v1/lock_receipts_pb.ts';
import { create } from '@bufbuild/protobuf';
import {
  type ReceiptRow,
  type ReceiptView,
  receiptRecord,
  wholeReceipt,
} from '../receipts/entities.ts';
import { findReceipt, listRows } from '../receipts/queries.ts';
import { type LockDeps, refreshReceipt } from './follow.ts';

export const lockReceiptsHandlers = (deps: LockDeps): Handlers<typeof LockReceipts> => ({
  async get({ id, tenant }, call) {
    const { database, signOuts, log } = deps;
    const stored = await findReceipt(database, id);
    const view = stored && (await viewOf(deps, stored, tenant, call));
    if (!view) throw notFound('receipt');
    // The stored rows are true without it, only older.
    await refreshReceipt(deps, stored).catch((error: unknown) =>
      log.warn('refreshing the receipt of a lock failed', { error, receipt: id }),
    );
    const receipt = (await findReceipt(database, id)) ?? stored;
    const rows = await listRows(database, id, view.rowsOf);
    const record = create(LockReceiptSchema, receiptRecord(receipt, rows, view));
    if (!record.final) return { receipt: record };
    const json = JSON.stringify(encodeJson(LockReceiptSchema, record));
    // Without sso the receipt is as true, and the next call signs it.
    const copy = await signOuts
      .signReceipt({ id, receipt: json }, call)
      .catch((error: unknown) =>
        log.warn('signing the receipt of a lock failed', { error, receipt: id }),
      );
    return { receipt: record, ...(copy && { signed: copy.signed }) };
  },
});

/** The part of a receipt that a caller in the tenant may see ('' = the platform); undefined = nothing. */
async function viewOf(
  { database, authority }: LockDeps,
  { id, subject, subjectTenant }: ReceiptRow,
  tenant: string,
  call: Call,
): Promise<ReceiptView | undefined> {
  if (tenant === '' || tenant === subjectTenant) return wholeReceipt;
  const part = { rowsOf: tenant, isWhole: false };
  if ((await listRows(database, id, tenant)).length > 0) return part;
  if (!isId('usr', subject)) return undefined;
  const { tenants } = await authority.listUserTenants({ userId: subject }, call);
  return tenants.some((one) => one.id === tenant) ? part : undefined;
}
