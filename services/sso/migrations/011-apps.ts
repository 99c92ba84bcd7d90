import { Migration } from '@mikro-orm/migrations';

/** The clients of the OpenID provider. */
export class Apps extends Migration {
  override up(): void {
    this.addSql(`
      create table app (
        tenant text not null,
        id text not null,
        name text not null,
        kind text not null,
        active boolean not null,
        redirect_uris text[] not null,
        post_logout_redirect_uris text[] not null,
        backchannel_logout_uri text not null,
        scopes text[] not null,
        resources text[] not null,
        token_lifetime_seconds int not null,
        require_consent boolean not null,
        require_par boolean not null,
        dpop boolean not null,
        token_endpoint_auth_method text not null,
        jwks text not null,
        secret_hash bytea,
        secret_created_at timestamptz(3),
        previous_secret_hash bytea,
        previous_secret_until timestamptz(3),
        created_by text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create unique index app_id on app (id);
      create index app_previous_secret_until on app (previous_secret_until)
        where previous_secret_until is not null;`);
  }
}
