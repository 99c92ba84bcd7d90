import { Migration } from '@mikro-orm/migrations';

/** A code may take a session on to an application: both end with that session. */
export class SessionCodes extends Migration {
  override up(): void {
    // Codes of an SSO sign-in, also those of the previous version, have no session.
    this.addSql("alter table sign_in_code add column session_id text not null default ''");
    this.addSql("alter table session add column taken_from text not null default ''");
  }
}
