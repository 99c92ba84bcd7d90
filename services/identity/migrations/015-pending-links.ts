import { Migration } from '@mikro-orm/migrations';

/** Social sign-ins that wait until the user of their address has signed in. */
export class PendingLinks extends Migration {
  override up(): void {
    this.addSql(`
      create table pending_link (
        token_hash bytea primary key,
        user_id text not null,
        email_key text not null,
        provider text not null,
        provider_name text not null,
        issuer text not null,
        subject text not null,
        email text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index pending_link_user_id on pending_link (user_id);`);
  }
}
