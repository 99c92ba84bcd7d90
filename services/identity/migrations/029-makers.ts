import { Migration } from '@mikro-orm/migrations';

/**
 * The makers of keys and trusts: a directory hands out only what the maker of its key may grant.
 * Null = the row is older, and its maker is `created_by`, without a narrowing.
 */
export class Makers extends Migration {
  // Each statement commits alone and can be repeated, because calls lock the two tables in another
  // order.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table bot_key add column if not exists maker jsonb');
    this.addSql('alter table bot_trust add column if not exists maker jsonb');
  }
}
