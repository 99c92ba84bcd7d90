import { Migration } from '@mikro-orm/migrations';

/** What a provider's mappings gave says so in its own row, and goes with it. */
export class Admission extends Migration {
  // Every call comes by these tables: a transaction that waited for one of them while it held another would stand in the way of calls
  // that take them in another order. So each is changed by itself, and again where that was interrupted.
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
