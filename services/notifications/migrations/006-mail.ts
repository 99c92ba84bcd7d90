import { Migration } from '@mikro-orm/migrations';

/** Suppressed addresses. */
export class Mail extends Migration {
  override up(): void {
    this.addSql(`
      create table mail_suppression (
        hash bytea primary key,
        code int not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create index mail_suppression_expires_at on mail_suppression (expires_at);`);
  }
}
