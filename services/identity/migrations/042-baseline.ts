import { dekTable } from '@bailiwick/keys';
import { outboxTable } from '@bailiwick/outbox';
import { idempotentCallTable } from '@bailiwick/pipeline';
import { lastPartKey, rateWindowTable, textKey } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';
import { bots, factors, federation } from './credentials.ts';

/** The tables of a new schema. */
export class Baseline extends Migration {
  override up(): void {
    for (const statements of [
      outboxTable,
      idempotentCallTable,
      rateWindowTable,
      dekTable,
      users,
      sessions,
      lookalikeKey,
      federation,
      factors,
      bots,
    ])
      this.addSql(statements);
  }
}

const users = `
  create table user_account (
    id text primary key,
    email text not null,
    email_key text not null,
    email_verified boolean not null,
    name text not null,
    given_name text not null,
    family_name text not null,
    picture text not null,
    locale text not null,
    status text not null,
    external_id text not null,
    metadata jsonb not null,
    password_hash text,
    last_login_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    mailbox_proven boolean not null default true,
    import_batch text not null default '',
    constraint user_account_email_key unique (email_key)
  );
  create index user_account_name on user_account ((${textKey('name')}), id);
  create index user_account_last_word on user_account ((${lastPartKey('name')}), id);
  create index user_account_email on user_account ((${textKey('email')}), id);
  create index user_account_created on user_account (created_at, id);
  create index user_account_status on user_account (status, id) where status <> 'active';
  create index user_account_external_id on user_account (external_id) where external_id <> '';
  create index user_account_imported_hash on user_account (id) where password_hash like 'imported %';
  create table registration (
    user_id text primary key,
    email text not null,
    email_key text not null,
    password_hash text not null,
    password_group text not null,
    token_hash bytea not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    locale text not null default '',
    constraint registration_token_hash unique (token_hash)
  );
  create index registration_email_key on registration (email_key);
  create index registration_expires_at on registration (expires_at);
  create table email_change (
    token_hash bytea primary key,
    user_id text not null,
    email text not null,
    email_key text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index email_change_user_id on email_change (user_id);
  create table reset_token (
    token_hash bytea primary key,
    user_id text not null,
    email_key text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index reset_token_user_id on reset_token (user_id);
  create table mailed_code (
    request_hash bytea primary key,
    user_id text not null,
    email_key text not null,
    code_hash bytea not null,
    tries int not null default 0,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index mailed_code_user_id on mailed_code (user_id);
  create index mailed_code_expires_at on mailed_code (expires_at);`;

const sessions = `
  create table session (
    id text primary key,
    user_id text not null,
    token_hash bytea not null,
    auth_method text not null,
    provider text not null,
    ip text not null,
    user_agent text not null,
    created_at timestamptz(3) not null,
    last_seen_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    sso_tenant text not null default '',
    idle_minutes int not null default 10080,
    taken_from text not null default '',
    further_methods text[] not null default '{}',
    assurance text not null default 'aal1',
    proven_at timestamptz(3),
    own_assurance text not null default '',
    operator text not null default '',
    operator_session text not null default '',
    reason text not null default '',
    unconfirmed boolean not null default false,
    told_tenants text[] not null default '{}',
    constraint session_token_hash unique (token_hash)
  );
  create index session_user_id on session (user_id);
  create index session_expires_at on session (expires_at);
  create index session_provider on session (sso_tenant, provider) where sso_tenant <> '';
  create index session_operator on session (operator, operator_session) where operator <> '';
  create table sign_in_code (
    token_hash bytea primary key,
    user_id text not null,
    email_key text not null,
    sso_tenant text not null,
    provider text not null,
    auth_method text not null,
    origin text not null,
    ip text not null,
    user_agent text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    session_id text not null default '',
    further_methods text[] not null default '{}',
    assurance text not null default 'aal1',
    own_assurance text not null default '',
    proven_at timestamptz(3),
    unconfirmed boolean not null default false
  );
  create index sign_in_code_user_id on sign_in_code (user_id);
  create index sign_in_code_provider on sign_in_code (sso_tenant, provider);
  create table login_failure (
    email_key text not null,
    network text not null,
    failures int not null,
    blocked_until timestamptz(3),
    updated_at timestamptz(3) not null,
    primary key (email_key, network)
  );
  create index login_failure_updated_at on login_failure (updated_at);
  create table known_network (
    email_key text not null,
    network text not null,
    last_success_at timestamptz(3) not null,
    primary key (email_key, network)
  );
  create table lookalike_key (
    name text primary key,
    key bytea not null
  );`;

// The key that chooses which addresses without an account are treated as if they had an imported
// hash. A key of the ring would choose others after its rotation, and so reveal them.
const lookalikeKey = `
  insert into lookalike_key values
    ('imported', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));`;
