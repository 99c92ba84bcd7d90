import { Migration } from '@mikro-orm/migrations';

/** Codes that are mailed to users who sign in without a password. */
export class MailedCodes extends Migration {
  override up(): void {
    this.addSql(`
      create table mailed_code (
        request_hash bytea primary key,
        user_id text not null,
        email_key text not null,
        code_hash bytea not null,
        tries int not null default 0,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      )`);
    this.addSql('create index mailed_code_user_id on mailed_code (user_id)');
    this.addSql('create index mailed_code_expires_at on mailed_code (expires_at)');
  }
}
