import { Migration } from '@mikro-orm/migrations';

/** The OpenID provider's codes, tokens, grants, sessions and interactions. */
export class Issuer extends Migration {
  override up(): void {
    this.addSql(`
      create table issuer_record (
        tenant text not null,
        id text not null,
        model text not null,
        dek_id text not null,
        payload_enc bytea not null,
        grant_hash text not null,
        uid_hash text not null,
        user_code_hash text not null,
        consumed_at timestamptz(3),
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index issuer_record_expires_at on issuer_record (expires_at);
      create index issuer_record_dek on issuer_record (tenant, dek_id, id);
      create index issuer_record_grant on issuer_record (grant_hash) where grant_hash <> '';
      create index issuer_record_uid on issuer_record (uid_hash) where uid_hash <> '';
      create index issuer_record_user_code on issuer_record (user_code_hash) where user_code_hash <> '';`);
  }
}
