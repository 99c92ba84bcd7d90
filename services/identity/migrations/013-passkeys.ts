import { Migration } from '@mikro-orm/migrations';

/** Passkeys, and the challenges that were answered: each works once. */
export class Passkeys extends Migration {
  override up(): void {
    this.addSql(`
      create table passkey (
        id text primary key,
        user_id text not null,
        credential_id text not null,
        public_key bytea not null,
        name text not null,
        sign_count bigint not null,
        backup_eligible boolean not null,
        backed_up boolean not null,
        transports text[] not null,
        aaguid text not null,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) null,
        constraint passkey_credential_id unique (credential_id)
      );
      create index passkey_user_id on passkey (user_id, id);`);
    this.addSql(`
      create table used_challenge (
        challenge_hash bytea primary key,
        expires_at timestamptz(3) not null
      );
      create index used_challenge_expires_at on used_challenge (expires_at);`);
  }
}
