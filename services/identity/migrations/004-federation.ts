import { Migration } from '@mikro-orm/migrations';

export class Federation extends Migration {
  override up(): void {
    this.addSql(`alter table session add column sso_tenant text not null default ''`);
    this.addSql(
      `create index session_provider on session (sso_tenant, provider) where sso_tenant <> ''`,
    );
    this.addSql(`
      create table identity_link (
        tenant text not null,
        provider text not null,
        issuer text not null,
        subject text not null,
        user_id text not null,
        email text not null,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) not null,
        primary key (tenant, provider, issuer, subject),
        constraint identity_link_user unique (tenant, provider, user_id)
      );
      create index identity_link_user_id on identity_link (user_id, provider);`);
    this.addSql(`
      create table sign_in_code (
        token_hash bytea primary key,
        user_id text not null,
        email_key text not null,
        sso_tenant text not null,
        provider text not null,
        auth_method text not null,
        origin text not null,
        ip text not null,
        user_agent text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index sign_in_code_user_id on sign_in_code (user_id);
      create index sign_in_code_provider on sign_in_code (sso_tenant, provider);`);
  }
}
