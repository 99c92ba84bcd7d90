import { Migration } from '@mikro-orm/migrations';

/** The last lock of an app. */
export class AppLocks extends Migration {
  override up(): void {
    this.addSql('alter table app add column if not exists locked_at timestamptz(3)');
  }
}
