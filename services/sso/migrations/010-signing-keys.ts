import { Migration } from '@mikro-orm/migrations';

/** The names of a key that signs client secrets. The key itself is in the sealed column. */
export class SigningKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table provider
        add column key_id text not null default '',
        add column team_id text not null default '';`);
  }
}
