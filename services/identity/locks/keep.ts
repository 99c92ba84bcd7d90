import { createId } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Locks } from '@bailiwick/proto/gen/bailiwick/identity/v1/locks_pb.ts';
import type { Database } from '@bailiwick/store';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { receiptRecord, wholeReceipt } from '../receipts/entities.ts';
import {
  addReceipt,
  addRows,
  completeReceipt,
  findReceipt,
  findReceiptOfLock,
  finishReceipt,
  listRows,
} from '../receipts/queries.ts';
import { cacheRow, keptSessionsRow, tokenRow } from '../receipts/rows.ts';
import { rowOf } from '../rows.ts';

/** Keeps the receipts of apps, which sso locks. */
export const locksHandlers = (database: Database): Handlers<typeof Locks> => ({
  async keep(request, call) {
    const { subject, tenant, name, reason, by, at, holders, tokenSeconds, keepsSessions } = request;
    if (!at) throw invalid('At is required');
    const lockedAt = timestampDate(at);
    const now = new Date();
    const app = { id: subject, tenant, name };
    const rows = [
      ...holders.map(({ state, kind, ...holder }) =>
        cacheRow(
          {
            ...holder,
            state: state === 'dropped' || state === 'ended' ? state : 'waited',
            kind: kind === 'changes' ? kind : 'cache',
          },
          now,
        ),
      ),
      tokenRow(app, tokenSeconds, now),
      ...(keepsSessions ? [keptSessionsRow(app, now)] : []),
    ];
    const id = await database.transaction(
      { call, tenant: null, row: rowOf.receipt(subject) },
      async (tx) => {
        const existing = await findReceiptOfLock(tx, subject, lockedAt);
        if (existing) return existing.id;
        const id = createId('lck');
        const receipt = { id, subject, subjectTenant: tenant, reason, lockedBy: by, lockedAt };
        await addReceipt(tx, receipt);
        await addRows(tx.query, receipt.id, rows);
        await completeReceipt(tx, receipt.id);
        return receipt.id;
      },
    );
    await finishReceipt(database, call, id);
    const stored = await findReceipt(database, id);
    if (!stored) return {};
    return { receipt: receiptRecord(stored, await listRows(database, id, ''), wholeReceipt) };
  },
});
