import { dekRotation, dekTable } from '@bailiwick/keys';
import { Migration } from '@mikro-orm/migrations';

export class Providers extends Migration {
  override up(): void {
    this.addSql(dekTable);
    this.addSql(dekRotation);
    // There are no providers before this migration: no operation could create one.
    this.addSql(`
      alter table provider
        add column issuer text not null default '',
        add column client_id text not null default '',
        add column scopes text[] not null default '{}',
        add column token_auth_method text not null default '',
        add column response_mode text not null default '',
        add column dek_id text not null default '',
        add column secret_enc bytea not null default '',
        add column idp_entity_id text not null default '',
        add column idp_sso_url text not null default '',
        add column idp_certificates text[] not null default '{}',
        add column request_binding text not null default '',
        add column sp_certificate text not null default '',
        add column allow_idp_initiated boolean not null default false,
        add column jit boolean not null default true,
        add column default_roles text[] not null default '{}',
        add column group_mappings jsonb not null default '[]',
        add column attribute_map jsonb not null default '{}',
        add column last_login_at timestamptz(3),
        add column last_error text not null default '';
      alter table provider
        alter column secret_enc drop default,
        alter column group_mappings drop default,
        alter column attribute_map drop default;`);
    this.addSql(`
      create table sign_in_flow (
        tenant text not null,
        id text not null,
        provider text not null,
        binding_hash bytea not null,
        request text not null,
        dek_id text not null,
        verifier_enc bytea not null,
        return_to text not null,
        origin text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index sign_in_flow_expires_at on sign_in_flow (expires_at);
      create index sign_in_flow_dek on sign_in_flow (tenant, dek_id, id);`);
    this.addSql(`
      create table used_assertion (
        tenant text not null,
        provider text not null,
        id text not null,
        expires_at timestamptz(3) not null,
        primary key (tenant, provider, id)
      );
      create index used_assertion_expires_at on used_assertion (expires_at);`);
  }
}
