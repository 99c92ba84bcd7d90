import { Migration } from '@mikro-orm/migrations';

/**
 * The call that imported a user, so that its repetition can tell its users from older ones. Processes
 * of the previous version leave it empty.
 */
export class ImportBatch extends Migration {
  override up(): void {
    this.addSql(
      `alter table user_account add column if not exists import_batch text not null default ''`,
    );
  }
}
