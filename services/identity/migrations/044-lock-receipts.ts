import { Migration } from '@mikro-orm/migrations';

/** The receipts of locks. */
export class LockReceipts extends Migration {
  override up(): void {
    this.addSql(`
      create table if not exists lock_receipt (
        id text primary key,
        subject text not null,
        subject_tenant text not null,
        reason text not null,
        locked_by text not null,
        locked_at timestamptz(3) not null,
        completed_at timestamptz(3),
        checked_at timestamptz(3) not null,
        final_at timestamptz(3),
        lifted_at timestamptz(3)
      );
      create index if not exists lock_receipt_open on lock_receipt (checked_at) where final_at is null;
      create index if not exists lock_receipt_subject on lock_receipt (subject, locked_at);
      create index if not exists lock_receipt_locked_at on lock_receipt (locked_at);
      create table if not exists lock_receipt_row (
        receipt text not null,
        kind text not null,
        holder text not null,
        session_id text not null,
        tenant text not null,
        name text not null,
        state text not null,
        at timestamptz(3) not null,
        ends_at timestamptz(3),
        detail text not null,
        followers int not null,
        sign_out text not null,
        primary key (receipt, kind, holder, session_id)
      );
      create index if not exists lock_receipt_row_tenant on lock_receipt_row (tenant);`);
    this.addSql(
      "alter table user_account add column if not exists lock_receipt text not null default ''",
    );
  }
}
