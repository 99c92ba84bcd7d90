import { Migration } from '@mikro-orm/migrations';

export class Admission extends Migration {
  override up(): void {
    // What a provider's mappings gave says so in its own row, and goes with it.
    this.addSql(`
      alter table grant_entry add column mapped_by text not null default '';
      alter table group_member add column mapped_by text not null default '';
      alter table tenant add column sso_lifted_until timestamptz(3);`);
  }
}
