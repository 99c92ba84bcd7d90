import { Migration } from '@mikro-orm/migrations';

/** The keys that sign the OpenID provider's tokens. */
export class TokenKeys extends Migration {
  override up(): void {
    this.addSql(`
      create table signing_key (
        tenant text not null,
        id text not null,
        algorithm text not null,
        dek_id text not null,
        key_enc bytea not null,
        created_at timestamptz(3) not null,
        signs_from timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index signing_key_dek on signing_key (tenant, dek_id, id);`);
  }
}
