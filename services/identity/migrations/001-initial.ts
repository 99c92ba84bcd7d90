import { outboxTable } from '@bailiwick/outbox';
import { Migration } from '@mikro-orm/migrations';

export class Initial extends Migration {
  override up(): void {
    this.addSql(outboxTable);
    this.addSql(`
      create table user_account (
        id text primary key,
        email text not null,
        email_key text not null constraint user_account_email_key unique,
        email_verified boolean not null,
        name text not null,
        given_name text not null,
        family_name text not null,
        picture text not null,
        locale text not null,
        status text not null,
        external_id text not null,
        metadata jsonb not null,
        password_hash text,
        last_login_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      );`);
    this.addSql(`
      create table registration (
        user_id text primary key,
        email text not null,
        email_key text not null,
        password_hash text not null,
        password_group text not null,
        token_hash bytea not null constraint registration_token_hash unique,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index registration_email_key on registration (email_key);
      create index registration_expires_at on registration (expires_at);`);
    this.addSql(`
      create table reset_token (
        token_hash bytea primary key,
        user_id text not null,
        email_key text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index reset_token_user_id on reset_token (user_id);`);
    this.addSql(`
      create table session (
        id text primary key,
        user_id text not null,
        token_hash bytea not null constraint session_token_hash unique,
        auth_method text not null,
        provider text not null,
        ip text not null,
        user_agent text not null,
        created_at timestamptz(3) not null,
        last_seen_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index session_user_id on session (user_id);
      create index session_expires_at on session (expires_at);`);
  }
}
