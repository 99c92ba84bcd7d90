import { dekRotation, dekTable } from '@bailiwick/keys';
import { Migration } from '@mikro-orm/migrations';

/** Authenticator apps, recovery codes, and the challenges that ask for them. */
export class Factors extends Migration {
  override up(): void {
    this.addSql(dekTable);
    this.addSql(dekRotation);
    this.addSql(`
      create table totp_factor (
        tenant text not null,
        id text not null,
        user_id text not null,
        name text not null,
        dek_id text not null,
        secret_enc bytea not null,
        last_step int not null,
        confirmed_at timestamptz(3),
        last_used_at timestamptz(3),
        created_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index totp_factor_user_id on totp_factor (user_id);
      create index totp_factor_dek on totp_factor (tenant, dek_id, id);`);
    this.addSql(`
      create table recovery_code (
        user_id text not null,
        code_hash bytea not null,
        salt bytea not null,
        primary key (user_id, code_hash)
      );`);
    this.addSql(`
      create table login_challenge (
        token_hash bytea primary key,
        user_id text not null,
        network text not null,
        auth_method text not null,
        tries int not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index login_challenge_user_id on login_challenge (user_id);
      create index login_challenge_expires_at on login_challenge (expires_at);`);
  }
}
