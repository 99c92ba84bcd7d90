import { Migration } from '@mikro-orm/migrations';

/** The ends of sign-ins to apps, for the receipts of locks. */
export class AppSignOuts extends Migration {
  override up(): void {
    this.addSql(`
      create table if not exists app_sign_out (
        id text primary key,
        tenant text not null,
        app text not null,
        name text not null,
        user_id text not null,
        session_id text not null,
        token_seconds int not null,
        state text not null,
        status_code int not null,
        message text not null,
        ended_at timestamptz(3) not null,
        reported_at timestamptz(3),
        in_receipt boolean not null
      );
      create index if not exists app_sign_out_user on app_sign_out (user_id, ended_at);
      create index if not exists app_sign_out_ended_at on app_sign_out (ended_at);`);
  }
}
