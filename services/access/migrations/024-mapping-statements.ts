import { Migration } from '@mikro-orm/migrations';

/** When providers stated the groups of users. */
export class MappingStatements extends Migration {
  override up(): void {
    this.addSql(`
      create table mapping_statement (
        tenant text not null,
        user_id text not null,
        provider text not null,
        stated_at timestamptz(3) not null,
        silent_since timestamptz(3),
        primary key (tenant, user_id, provider)
      );
      create index mapping_statement_silent on mapping_statement (stated_at) where silent_since is not null;`);
  }
}
