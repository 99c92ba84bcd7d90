import { Migration } from '@mikro-orm/migrations';

/**
 * Rows of grants and group memberships store the provider whose mappings made them, so that they
 * can be revoked with it.
 */
export class Admission extends Migration {
  // Every call uses these tables. A transaction that waits for one table while it locks another
  // could deadlock with calls that lock them in another order. So each statement commits alone, and
  // can be repeated after an interruption.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `alter table grant_entry add column if not exists mapped_by text not null default ''`,
    );
    this.addSql(
      `alter table group_member add column if not exists mapped_by text not null default ''`,
    );
    this.addSql('alter table tenant add column if not exists sso_lifted_until timestamptz(3)');
  }
}
