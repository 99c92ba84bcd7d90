import { Migration } from '@mikro-orm/migrations';

/** Finds the bots that a user made, for the receipt of a lock. */
export class BotMakers extends Migration {
  // Built while rows are written, and built again if interrupted.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`set lock_timeout = '30min'`);
    this.addSql('drop index concurrently if exists bot_created_by');
    this.addSql('create index concurrently bot_created_by on bot (created_by)');
    this.addSql('reset lock_timeout');
  }
}
