import { rateWindowTable } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

export class Accounts extends Migration {
  override up(): void {
    this.addSql(rateWindowTable);
    this.addSql(`
      create table login_failure (
        email_key text not null,
        network text not null,
        failures int not null,
        blocked_until timestamptz(3),
        updated_at timestamptz(3) not null,
        primary key (email_key, network)
      );
      create index login_failure_updated_at on login_failure (updated_at);`);
    this.addSql(`
      create table known_network (
        email_key text not null,
        network text not null,
        last_success_at timestamptz(3) not null,
        primary key (email_key, network)
      );`);
    this.addSql(`
      create table email_change (
        token_hash bytea primary key,
        user_id text not null,
        email text not null,
        email_key text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index email_change_user_id on email_change (user_id);`);
  }
}
