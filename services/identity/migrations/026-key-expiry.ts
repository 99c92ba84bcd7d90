import { Migration } from '@mikro-orm/migrations';

/** Bots_GetCounts counts the keys of a tenant that expire soon. */
export class KeyExpiry extends Migration {
  // `concurrently` lets keys change while the index is built, and needs no transaction.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`set lock_timeout = '30min'`);
    this.addSql('drop index concurrently if exists bot_key_expiry');
    this.addSql(
      "create index concurrently bot_key_expiry on bot_key (tenant, expires_at) where revoked_at is null and rotated_to = ''",
    );
    this.addSql('reset lock_timeout');
  }
}
