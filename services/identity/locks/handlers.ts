import { encodeJson } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import {
  LockReceiptSchema,
  type LockReceipts,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/lock_receipts_pb.ts';
import { create } from '@bufbuild/protobuf';
import { type HolderRow, receiptRecord } from './entities.ts';
import { type LockDeps, refreshReceipt } from './follow.ts';
import { findReceipt, listRows } from './queries.ts';

export const lockReceiptsHandlers = (deps: LockDeps): Handlers<typeof LockReceipts> => ({
  async get({ id, tenant }, call) {
    const { database, authority, signOuts, log } = deps;
    const stored = await findReceipt(database, id);
    if (!stored) throw notFound('receipt');
    const isMember = async () => {
      const { tenants } = await authority.listUserTenants({ userId: stored.subject }, call);
      return tenants.some((one) => one.id === tenant);
    };
    const isConcerned = (rows: readonly HolderRow[]) => tenant === '' || rows.length > 0;
    if (!isConcerned(await listRows(database, id, tenant)) && !(await isMember()))
      throw notFound('receipt');
    // The stored rows are true without it, only older.
    await refreshReceipt(deps, stored).catch((error: unknown) =>
      log.warn('refreshing the receipt of a lock failed', { error, receipt: id }),
    );
    const receipt = (await findReceipt(database, id)) ?? stored;
    const record = create(
      LockReceiptSchema,
      receiptRecord(receipt, await listRows(database, id, tenant), tenant),
    );
    if (!record.final) return { receipt: record };
    const json = JSON.stringify(encodeJson(LockReceiptSchema, record));
    const { signed } = await signOuts.signReceipt({ id, receipt: json }, call);
    return { receipt: record, signed };
  },
});
