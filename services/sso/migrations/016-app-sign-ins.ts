import { Migration } from '@mikro-orm/migrations';

/** The sessions that apps got codes from, and the consents of people. */
export class AppSignIns extends Migration {
  override up(): void {
    this.addSql(`
      create table app_sign_in (
        tenant text not null,
        app text not null,
        session_id text not null,
        place text not null,
        user_id text not null,
        scopes text[] not null,
        signed_in_at timestamptz(3) not null,
        primary key (tenant, app, session_id, place)
      );
      create index app_sign_in_session on app_sign_in (session_id);
      create index app_sign_in_user on app_sign_in (user_id, app);
      create table app_consent (
        tenant text not null,
        app text not null,
        user_id text not null,
        scopes text[] not null,
        consented_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        primary key (tenant, app, user_id)
      );
      create index app_consent_user on app_consent (user_id, app);
      create index app_consent_expires_at on app_consent (expires_at);`);
  }
}
