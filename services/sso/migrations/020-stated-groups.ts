import { Migration } from '@mikro-orm/migrations';

/** The answers that do not state a user's groups, and encryption that our metadata asks for. */
export class StatedGroups extends Migration {
  override up(): void {
    this.addSql(`set local lock_timeout = '5s'`);
    this.addSql(`
      alter table provider
        add column absent_groups text not null default 'remove',
        add column want_encrypted boolean not null default false,
        add column groups_stated_at timestamptz(3),
        add column last_warning text not null default '',
        add column last_warning_at timestamptz(3);`);
  }
}
