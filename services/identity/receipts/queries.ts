import type { Origin } from '@bailiwick/contract';
import type { Database, Reader, Run, Statement, Transaction } from '@bailiwick/store';
import type { HolderRow, ReceiptRow } from './entities.ts';

const columns = `id, subject, subject_tenant as "subjectTenant", reason, locked_by as "lockedBy", locked_at as "lockedAt",
  completed_at as "completedAt", final_at as "finalAt", lifted_at as "liftedAt"`;

const byId: Statement<ReceiptRow, [id: string]> = {
  name: 'identity.lock_receipt',
  text: `select ${columns} from lock_receipt where id = $1`,
};

export async function findReceipt(reader: Reader, id: string): Promise<ReceiptRow | undefined> {
  const [row] = await reader.query(byId, [id]);
  return row;
}

const insert: Statement<
  never,
  [
    id: string,
    subject: string,
    subjectTenant: string,
    reason: string,
    lockedBy: string,
    lockedAt: Date,
  ]
> = {
  name: 'identity.add_lock_receipt',
  text: `insert into lock_receipt (id, subject, subject_tenant, reason, locked_by, locked_at, checked_at)
         values ($1, $2, $3, $4, $5, $6, $6)`,
};

export type NewReceipt = Pick<
  ReceiptRow,
  'id' | 'subject' | 'subjectTenant' | 'reason' | 'lockedBy'
> & {
  lockedAt: Date;
};

export async function addReceipt(tx: Transaction, receipt: NewReceipt): Promise<void> {
  const { id, subject, subjectTenant, reason, lockedBy, lockedAt } = receipt;
  await tx.query(insert, [id, subject, subjectTenant, reason, lockedBy, lockedAt]);
}

const rowsOf: Statement<HolderRow, [receipt: string, tenant: string]> = {
  name: 'identity.lock_receipt_rows',
  text: `select kind, holder, session_id as "sessionId", tenant, name, state, at, ends_at as "endsAt", detail,
           followers, sign_out as "signOut"
         from lock_receipt_row where receipt = $1 and ($2 = '' or tenant = $2)
         order by tenant, kind, name, holder, session_id`,
  across: 'operators of the platform read the rows of all tenants',
};

/** The rows of a receipt: all of them, or those of a tenant. */
export const listRows = (reader: Reader, receipt: string, tenant: string): Promise<HolderRow[]> =>
  reader.query(rowsOf, [receipt, tenant]);

// A row that another process has written is as true as this one.
const addAll: Statement<never, [receipt: string, rows: string]> = {
  name: 'identity.add_lock_receipt_rows',
  text: `insert into lock_receipt_row (receipt, kind, holder, session_id, tenant, name, state, at, ends_at, detail,
           followers, sign_out)
         select $1, kind, holder, session_id, tenant, name, state, at, ends_at, detail, followers, sign_out
         from jsonb_to_recordset($2::jsonb) as r (kind text, holder text, session_id text, tenant text, name text,
           state text, at timestamptz, ends_at timestamptz, detail text, followers int, sign_out text)
         order by kind, holder, session_id
         on conflict (receipt, kind, holder, session_id) do nothing`,
};

export async function addRows(
  run: Run,
  receipt: string,
  rows: readonly HolderRow[],
): Promise<void> {
  const values = rows.map(({ sessionId, endsAt, signOut, ...row }) => ({
    ...row,
    session_id: sessionId,
    ends_at: endsAt,
    sign_out: signOut,
  }));
  await run(addAll, [receipt, JSON.stringify(values)]);
}

const complete: Statement<never, [receipt: string]> = {
  name: 'identity.complete_lock_receipt',
  text: 'update lock_receipt set completed_at = coalesce(completed_at, now()) where id = $1',
};

export async function completeReceipt(tx: Transaction, receipt: string): Promise<void> {
  await tx.query(complete, [receipt]);
}

// A row that is final stays as it is.
const settle: Statement<never, [receipt: string, rows: string]> = {
  name: 'identity.settle_lock_receipt',
  text: `with changed as (
           update lock_receipt_row r set state = c.state, at = c.at, detail = c.detail
           from jsonb_to_recordset($2::jsonb) as c (sign_out text, state text, at timestamptz, detail text)
           where r.receipt = $1 and r.sign_out = c.sign_out and r.state = 'waiting'
         )
         update lock_receipt set checked_at = now() where id = $1`,
  across: 'a receipt has the apps of all tenants',
};

/** The present state of a sign-out. */
export type SettledRow = Pick<HolderRow, 'signOut' | 'state' | 'at' | 'detail'>;

export async function settleRows(
  database: Database,
  call: Origin,
  receipt: string,
  rows: readonly SettledRow[],
): Promise<void> {
  const values = rows.map(({ signOut, ...row }) => ({ ...row, sign_out: signOut }));
  await database.write(call, settle, [receipt, JSON.stringify(values)]);
}

const finish: Statement<never, [receipt: string]> = {
  name: 'identity.finish_lock_receipt',
  text: `update lock_receipt set final_at = now() where id = $1 and final_at is null and completed_at is not null
           and not exists (select from lock_receipt_row where receipt = $1 and state = 'waiting')`,
  across: 'a receipt has the apps of all tenants',
};

/** Makes a receipt final if none of its rows waits. */
export async function finishReceipt(
  database: Database,
  call: Origin,
  receipt: string,
): Promise<void> {
  await database.write(call, finish, [receipt]);
}

// The older a receipt is, the longer it waits for the next look, as the retries of its logouts do.
const open: Statement<ReceiptRow, [limit: number]> = {
  name: 'identity.claim_open_lock_receipts',
  text: `update lock_receipt set checked_at = now() where id = any (array (
           select id from lock_receipt where final_at is null
             and checked_at < now() - greatest(interval '10 seconds', least(interval '10 minutes', (checked_at - locked_at) / 10))
           order by checked_at limit $1 for update skip locked)) returning ${columns}`,
};

/** Takes the receipts that are not final and due for a look: no other process looks at them now. */
export const claimOpenReceipts = (
  database: Database,
  call: Origin,
  limit: number,
): Promise<ReceiptRow[]> => database.write(call, open, [limit]);

const lift: Statement<never, [subject: string]> = {
  name: 'identity.lift_locks',
  text: 'update lock_receipt set lifted_at = now() where subject = $1 and lifted_at is null',
};

/** Notes that a user or bot was restored. */
export async function liftLocks(tx: Transaction, subject: string): Promise<void> {
  await tx.query(lift, [subject]);
}

const ofLock: Statement<ReceiptRow, [subject: string, lockedAt: Date]> = {
  name: 'identity.lock_receipt_of_lock',
  text: `select ${columns} from lock_receipt where subject = $1 and locked_at = $2`,
};

/** The receipt of the lock of a bot or app at a time: that of its last change. */
export async function findReceiptOfLock(
  tx: Transaction,
  subject: string,
  lockedAt: Date,
): Promise<ReceiptRow | undefined> {
  return (await tx.query(ofLock, [subject, lockedAt]))[0];
}

const botsOfMaker: Statement<{ id: string; tenant: string; name: string }, [userId: string]> = {
  name: 'identity.bots_of_maker',
  text: 'select id, tenant, name from bot where created_by = $1 order by id limit 1000',
  across: 'the receipt of a lock names the bots that the user made in all tenants',
};

/** The bots that a user made, at most 1,000. */
export const listBotsOfMaker = (tx: Transaction, userId: string) => tx.query(botsOfMaker, [userId]);
