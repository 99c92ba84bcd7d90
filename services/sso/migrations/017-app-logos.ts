import { Migration } from '@mikro-orm/migrations';

/** The logos of apps. Existing apps have none. */
export class AppLogos extends Migration {
  override up(): void {
    this.addSql(`
      create table app_logo (
        tenant text not null,
        app text not null,
        type text not null,
        content bytea not null,
        primary key (tenant, app)
      );
      alter table app add column logo jsonb;`);
  }
}
