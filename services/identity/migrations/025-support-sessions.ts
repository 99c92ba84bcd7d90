import { Migration } from '@mikro-orm/migrations';

/** The operator who acts as the user in a session, the session of the operator, and the reason. */
export class SupportSessions extends Migration {
  override up(): void {
    this.addSql(
      "alter table session add column operator text not null default '', add column operator_session text not null default '', add column reason text not null default ''",
    );
    this.addSql(
      "create index session_operator on session (operator, operator_session) where operator <> ''",
    );
  }
}
