import { Migration } from '@mikro-orm/migrations';

export class Deletion extends Migration {
  override up(): void {
    // The default is for existing rows: every report is newer.
    this.addSql(`
      alter table subject_state add column changed_at timestamptz(3) not null default 'epoch';
      alter table subject_state alter column changed_at drop default;`);
    this.addSql(`
      alter table tenant add column purge_at timestamptz(3);
      create index tenant_purge_at on tenant (purge_at) where purge_at is not null;`);
  }
}
