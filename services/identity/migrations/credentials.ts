import { lastPartKey, textKey } from '@bailiwick/store';

// The tables of the baseline for credentials.

export const federation = `
  create table identity_link (
    tenant text not null,
    provider text not null,
    issuer text not null,
    subject text not null,
    user_id text not null,
    email text not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3) not null,
    trust text not null default 'address',
    lapsed boolean not null default false,
    password_mark text,
    unconfirmed boolean not null default false,
    primary key (tenant, provider, issuer, subject),
    constraint identity_link_user unique (tenant, provider, user_id)
  );
  create index identity_link_user_id on identity_link (user_id, provider);
  create table pending_link (
    token_hash bytea primary key,
    user_id text not null,
    email_key text not null,
    provider text not null,
    provider_name text not null,
    issuer text not null,
    subject text not null,
    email text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index pending_link_user_id on pending_link (user_id);
  create table unconfirmed_provider (
    tenant text not null,
    provider text not null,
    id text not null,
    voucher text not null,
    created_at timestamptz(3) not null default now(),
    primary key (tenant, provider, id)
  );`;

export const factors = `
  create table login_challenge (
    token_hash bytea primary key,
    user_id text not null,
    network text not null,
    auth_method text not null,
    tries int not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    recovery_tenant text not null default '',
    recovery_hash bytea
  );
  create index login_challenge_user_id on login_challenge (user_id);
  create index login_challenge_expires_at on login_challenge (expires_at);
  create table totp_factor (
    tenant text not null,
    id text not null,
    user_id text not null,
    name text not null,
    dek_id text not null,
    secret_enc bytea not null,
    last_step int not null,
    confirmed_at timestamptz(3),
    last_used_at timestamptz(3),
    created_at timestamptz(3) not null,
    sso_tenant text not null default '',
    primary key (tenant, id)
  );
  create index totp_factor_user_id on totp_factor (user_id);
  create index totp_factor_dek on totp_factor (tenant, dek_id, id);
  create table recovery_code (
    user_id text not null,
    code_hash bytea not null,
    salt bytea not null,
    sso_tenant text not null default '',
    primary key (user_id, code_hash)
  );
  create table passkey (
    id text primary key,
    user_id text not null,
    credential_id text not null,
    public_key bytea not null,
    name text not null,
    sign_count bigint not null,
    backup_eligible boolean not null,
    backed_up boolean not null,
    transports text[] not null,
    aaguid text not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    provider text not null default '',
    sso_tenant text not null default '',
    constraint passkey_credential_id unique (credential_id)
  );
  create index passkey_user_id on passkey (user_id, id);
  create table used_challenge (
    challenge_hash bytea primary key,
    expires_at timestamptz(3) not null
  );
  create index used_challenge_expires_at on used_challenge (expires_at);`;

export const bots = `
  create table bot (
    tenant text not null,
    id text not null,
    name text not null,
    description text not null,
    active boolean not null,
    metadata jsonb not null,
    last_used_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (tenant, id)
  );
  create index bot_id on bot (id);
  create index bot_name on bot (tenant, (${textKey('name')}), id);
  create index bot_last_word on bot (tenant, (${lastPartKey('name')}), id);
  create index bot_created on bot (tenant, created_at, id);
  create table bot_key (
    tenant text not null,
    id text not null,
    bot text not null,
    name text not null,
    token_hash bytea not null,
    prefix text not null,
    last4 text not null,
    permissions text[] not null,
    allowed_ips text[] not null,
    expires_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    revoked_at timestamptz(3),
    rotated_from text not null,
    rotated_to text not null,
    notice_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null,
    maker jsonb,
    latest_end timestamptz(3),
    primary key (tenant, id),
    constraint bot_key_token_hash unique (token_hash)
  );
  create index bot_key_bot on bot_key (tenant, bot, id);
  create index bot_key_notice_at on bot_key (notice_at) where notice_at is not null;
  create index bot_key_expiry on bot_key (tenant, expires_at) where revoked_at is null and rotated_to = '';
  create table bot_trust (
    tenant text not null,
    id text not null,
    bot text not null,
    issuer text not null,
    audience text not null,
    subject text not null,
    claims jsonb not null,
    created_by text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    jwks text not null default '',
    maker jsonb,
    primary key (tenant, id)
  );
  create index bot_trust_bot on bot_trust (tenant, bot, id);`;
