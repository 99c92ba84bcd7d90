import { Migration } from '@mikro-orm/migrations';

/** How the pages and mails about a tenant look. Existing tenants have no branding. */
export class Branding extends Migration {
  // Every call uses the table tenant: each statement commits alone, and can be repeated after an
  // interruption.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`alter table tenant add column if not exists branding jsonb not null default '{}'`);
    this.addSql(`
      create table if not exists tenant_logo (
        tenant text not null primary key,
        type text not null,
        content bytea not null
      )`);
  }
}
