import { Migration } from '@mikro-orm/migrations';

/** Links to the receivers' portal, each with its only session. */
export class Portals extends Migration {
  override up(): void {
    this.addSql(`
      create table webhook_portal (
        tenant text not null,
        id text not null,
        endpoint text not null,
        name text not null,
        abilities text[] not null,
        token_hash bytea not null,
        expires_at timestamptz(3) not null,
        creator_type text not null,
        created_by text not null,
        created_at timestamptz(3) not null,
        last_opened_at timestamptz(3),
        session_hash bytea,
        session_expires_at timestamptz(3),
        primary key (tenant, id),
        constraint webhook_portal_token_hash unique (token_hash),
        constraint webhook_portal_session_hash unique (session_hash)
      );
      create index webhook_portal_endpoint on webhook_portal (tenant, endpoint, id);
      create index webhook_portal_expiry on webhook_portal (expires_at);`);
  }
}
