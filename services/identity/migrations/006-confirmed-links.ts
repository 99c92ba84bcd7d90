import { Migration } from '@mikro-orm/migrations';

export class ConfirmedLinks extends Migration {
  override up(): void {
    // Existing links keep the whole account. Links that the previous version still makes are
    // limited until their next sign-in.
    this.addSql(`alter table identity_link add column trust text not null default 'domain'`);
    this.addSql(`alter table identity_link alter column trust set default 'address'`);
    this.addSql(`alter table identity_link add column lapsed boolean not null default false`);
    this.addSql(`alter table identity_link add column password_mark text`);
  }
}
