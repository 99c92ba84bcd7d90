import { Migration } from '@mikro-orm/migrations';

/** How long an app may repeat a refresh. Existing apps have the default. */
export class RefreshReuse extends Migration {
  override up(): void {
    this.addSql('alter table app add column refresh_reuse_seconds smallint;');
  }
}
