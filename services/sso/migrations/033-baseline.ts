import { dekTable } from '@bailiwick/keys';
import { outboxTable } from '@bailiwick/outbox';
import { idempotentCallTable } from '@bailiwick/pipeline';
import { rateWindowTable } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

/** The tables of a new schema. */
export class Baseline extends Migration {
  override up(): void {
    for (const statements of [
      outboxTable,
      idempotentCallTable,
      rateWindowTable,
      dekTable,
      domains,
      providers,
      apps,
      issuer,
    ])
      this.addSql(statements);
  }
}

const domains = `
  create table domain (
    tenant text not null,
    id text not null,
    name text not null,
    status text not null,
    capture text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    default_role text not null default '',
    challenge text not null default '',
    challenge_expires_at timestamptz(3) not null default now(),
    verified_at timestamptz(3),
    last_checked_at timestamptz(3),
    failure_reason text not null default '',
    failed_days int not null default 0,
    next_check_at timestamptz(3),
    giver jsonb,
    primary key (tenant, id),
    constraint domain_tenant_name unique (tenant, name)
  );
  create index domain_name on domain (name);
  create unique index domain_verified on domain (name) where status = 'verified';
  create index domain_expiry on domain (challenge_expires_at) where status = 'pending';
  create index domain_next_check on domain (next_check_at) where next_check_at is not null;
  create table handled_join (
    tenant text not null,
    event text not null,
    created_at timestamptz(3) not null,
    primary key (tenant, event)
  );
  create index handled_join_created_at on handled_join (created_at);
  create table sso_lift (
    tenant text primary key,
    until timestamptz(3) not null
  );
  create table sso_recovery_code (
    code_hash bytea primary key,
    tenant text not null,
    created_at timestamptz(3) not null
  );
  create index sso_recovery_code_tenant on sso_recovery_code (tenant);`;

const providers = `
  create table provider (
    tenant text not null,
    id text not null,
    kind text not null,
    name text not null,
    active boolean not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    issuer text not null default '',
    client_id text not null default '',
    scopes text[] not null default '{}',
    token_auth_method text not null default '',
    response_mode text not null default '',
    dek_id text not null default '',
    secret_enc bytea not null,
    idp_entity_id text not null default '',
    idp_sso_url text not null default '',
    idp_certificates text[] not null default '{}',
    request_binding text not null default '',
    sp_certificate text not null default '',
    allow_idp_initiated boolean not null default false,
    jit boolean not null default true,
    default_roles text[] not null default '{}',
    group_mappings jsonb not null,
    attribute_map jsonb not null,
    last_login_at timestamptz(3),
    last_error text not null default '',
    preset text not null default '',
    authorization_url text not null default '',
    token_url text not null default '',
    userinfo_url text not null default '',
    emails_url text not null default '',
    assurance_map jsonb not null default '{}',
    key_id text not null default '',
    team_id text not null default '',
    vouch_id text not null default '',
    voucher text not null default '',
    saved_by text not null default '',
    confirmed_by text not null default '',
    absent_groups text not null default 'remove',
    want_encrypted boolean not null default false,
    groups_stated_at timestamptz(3),
    last_warning text not null default '',
    last_warning_at timestamptz(3),
    giver jsonb,
    metadata_url text not null default '',
    metadata_signer text not null default '',
    metadata_read_at timestamptz(3),
    metadata_error text not null default '',
    metadata_failures int not null default 0,
    metadata_due_at timestamptz(3),
    certificate_changes text not null default 'auto',
    pending_certificates jsonb not null default '[]',
    leaving_certificates jsonb not null default '[]',
    certificates_due_at timestamptz(3) not null default now(),
    expiry_notice text not null default '',
    primary key (tenant, id)
  );
  create index provider_metadata_due on provider (metadata_due_at) where metadata_due_at is not null;
  create index provider_certificates_due on provider (certificates_due_at) where kind = 'saml';
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
    kept_until timestamptz(3) not null default now(),
    restarted boolean not null default false,
    primary key (tenant, id)
  );
  create index sign_in_flow_expires_at on sign_in_flow (expires_at);
  create index sign_in_flow_dek on sign_in_flow (tenant, dek_id, id);
  create index sign_in_flow_kept_until on sign_in_flow (kept_until);
  create table used_assertion (
    tenant text not null,
    provider text not null,
    id text not null,
    expires_at timestamptz(3) not null,
    primary key (tenant, provider, id)
  );
  create index used_assertion_expires_at on used_assertion (expires_at);`;

const apps = `
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
    logo jsonb,
    refresh_reuse_seconds smallint,
    primary key (tenant, id)
  );
  create unique index app_id on app (id);
  create index app_previous_secret_until on app (previous_secret_until) where previous_secret_until is not null;
  create table app_logo (
    tenant text not null,
    app text not null,
    type text not null,
    content bytea not null,
    primary key (tenant, app)
  );
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
  create index app_consent_expires_at on app_consent (expires_at);`;

const issuer = `
  create table issuer_record (
    tenant text not null,
    id text not null,
    model text not null,
    dek_id text not null,
    payload_enc bytea not null,
    grant_hash text not null,
    uid_hash text not null,
    user_code_hash text not null,
    consumed_at timestamptz(3),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (tenant, id)
  );
  create index issuer_record_expires_at on issuer_record (expires_at);
  create index issuer_record_dek on issuer_record (tenant, dek_id, id);
  create index issuer_record_grant on issuer_record (grant_hash) where grant_hash <> '';
  create index issuer_record_uid on issuer_record (uid_hash) where uid_hash <> '';
  create index issuer_record_user_code on issuer_record (user_code_hash) where user_code_hash <> '';
  create table signing_key (
    tenant text not null,
    id text not null,
    algorithm text not null,
    dek_id text not null,
    key_enc bytea not null,
    created_at timestamptz(3) not null,
    signs_from timestamptz(3) not null,
    primary key (tenant, id)
  );
  create index signing_key_dek on signing_key (tenant, dek_id, id);`;
