import { outboxTable } from '@bailiwick/outbox';
import { idempotentCallTable } from '@bailiwick/pipeline';
import { lastPartKey, rateWindowTable, textKey } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

/** The tables of a new schema. */
export class Baseline extends Migration {
  override up(): void {
    for (const statements of [
      outboxTable,
      idempotentCallTable,
      rateWindowTable,
      tenants,
      groups,
      rights,
      audit,
      dropAudit,
      scim,
    ])
      this.addSql(statements);
  }
}

const tenants = `
  create table tenant (
    id text primary key,
    slug text not null,
    name text not null,
    status text not null,
    settings jsonb not null,
    metadata jsonb not null,
    created_by text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    purge_at timestamptz(3),
    sso_lifted_until timestamptz(3),
    branding jsonb not null default '{}',
    constraint tenant_slug unique (slug)
  );
  create index tenant_created_by on tenant (created_by);
  create index tenant_purge_at on tenant (purge_at) where purge_at is not null;
  create index tenant_status on tenant (status) where status <> 'active';
  create table tenant_member (
    tenant text not null,
    user_id text not null,
    status text not null,
    source text not null,
    joined_at timestamptz(3) not null,
    name_key text collate "C" not null default '',
    last_word_key text collate "C" not null default '',
    email_key text collate "C" not null default '',
    described_at timestamptz(3),
    disabled_by text not null default '',
    primary key (tenant, user_id)
  );
  create index tenant_member_user on tenant_member (user_id, tenant);
  create index tenant_member_name on tenant_member (tenant, name_key, user_id);
  create index tenant_member_last_word on tenant_member (tenant, last_word_key, user_id);
  create index tenant_member_email on tenant_member (tenant, email_key, user_id);
  create index tenant_member_joined on tenant_member (tenant, joined_at, user_id);
  create index tenant_member_source on tenant_member (tenant, source, user_id);
  create index tenant_member_inactive on tenant_member (tenant, status, user_id) where status <> 'active';
  create index tenant_member_undescribed on tenant_member (user_id) where described_at is null;
  create index tenant_member_status on tenant_member (tenant, status);
  create table tenant_logo (
    tenant text primary key,
    type text not null,
    content bytea not null
  );
  create table membership_offer (
    tenant text not null,
    user_id text not null,
    status text not null,
    adder_type text not null,
    added_by text not null,
    adder_narrowed_to text[] not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    adder_limited_to text not null default '',
    adder_voucher text not null default '',
    primary key (tenant, user_id)
  );
  create index membership_offer_user on membership_offer (user_id, tenant);
  create table invitation (
    tenant text not null,
    id text not null,
    email text not null,
    email_key text not null,
    status text not null,
    roles text[] not null,
    groups jsonb not null,
    inviter_type text not null,
    invited_by text not null,
    inviter_narrowed_to text[] not null,
    accepted_by text not null,
    token_hash bytea not null,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    inviter_limited_to text not null default '',
    inviter_voucher text not null default '',
    primary key (tenant, id),
    constraint invitation_token_hash unique (token_hash)
  );
  create unique index invitation_pending on invitation (tenant, email_key) where status = 'pending';
  create index invitation_email_key on invitation (email_key, id);
  create index invitation_expiry on invitation (expires_at) where status = 'pending';
  create index invitation_email on invitation (tenant, (${textKey('email')}), id);
  create index invitation_status on invitation (tenant, status, id);
  create index invitation_created on invitation (tenant, created_at, id);
  create table daily_count (
    tenant text not null,
    kind text not null,
    day date not null,
    count int not null,
    primary key (tenant, kind, day)
  );
  create index daily_count_age on daily_count (day);`;

const groups = `
  create table group_entry (
    tenant text not null,
    id text not null,
    path text not null,
    key text not null,
    ancestor_keys text[] not null,
    name text not null,
    description text not null,
    external_id text not null,
    source text not null,
    metadata jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (tenant, id),
    constraint group_entry_key unique (tenant, key)
  );
  create index group_entry_name on group_entry (tenant, (${textKey('name')}), id);
  create index group_entry_last_word on group_entry (tenant, (${lastPartKey('name')}), id);
  create index group_entry_path on group_entry (tenant, (${textKey('key')}), id);
  create index group_entry_last_part on group_entry (tenant, (${lastPartKey('key', '/')}), id);
  create index group_entry_created on group_entry (tenant, created_at, id);
  create index group_entry_scim on group_entry (tenant, id) where source = 'scim';
  create table group_member (
    tenant text not null,
    group_id text not null,
    user_id text not null,
    created_at timestamptz(3) not null,
    mapped_by text not null default '',
    primary key (tenant, group_id, user_id)
  );
  create index group_member_user on group_member (user_id, tenant);`;

const rights = `
  create table role_entry (
    tenant text not null,
    id text not null,
    slug text not null,
    name text not null,
    description text not null,
    permissions text[] not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (tenant, id),
    constraint role_entry_slug unique (tenant, slug)
  );
  create table grant_entry (
    tenant text not null,
    id text not null,
    subject_type text not null,
    subject text not null,
    role text not null,
    resource text not null,
    expires_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null,
    mapped_by text not null default '',
    unasked boolean not null default false,
    primary key (tenant, id),
    constraint grant_entry_key unique (tenant, subject_type, subject, role, resource)
  );
  create index grant_entry_subject on grant_entry (subject, subject_type, tenant);
  create index grant_entry_list on grant_entry (tenant, subject_type, id);
  create index grant_entry_role on grant_entry (tenant, role);
  create table mapping_statement (
    tenant text not null,
    user_id text not null,
    provider text not null,
    stated_at timestamptz(3) not null,
    silent_since timestamptz(3),
    giver jsonb,
    primary key (tenant, user_id, provider)
  );
  create index mapping_statement_silent on mapping_statement (stated_at) where silent_since is not null;
  create table subject_state (
    subject text primary key,
    state text not null,
    since timestamptz(3) not null,
    changed_at timestamptz(3) not null
  );`;

const audit = `
  create table audit_entry (
    tenant text not null,
    id text not null,
    seq int not null,
    occurred_at timestamptz(3) not null,
    action text not null,
    operation text not null,
    result text not null,
    code text not null,
    actor_type text not null,
    actor_id text not null,
    credential_id text not null,
    targets jsonb not null,
    target_ids text[] not null,
    permission text not null,
    grant_id text not null,
    ip text not null,
    user_agent text not null,
    request_id text not null,
    trace_id text not null,
    changes jsonb not null,
    prev_hash text not null,
    hash text not null,
    primary key (tenant, id),
    constraint audit_entry_seq unique (tenant, seq)
  );
  comment on table audit_entry is 'append-only';
  create index audit_entry_actor on audit_entry (actor_id, id);
  create index audit_entry_of_actor on audit_entry (tenant, actor_id, seq);
  create index audit_entry_action on audit_entry (tenant, action, seq);
  create index audit_entry_operation on audit_entry (tenant, operation, seq);
  create index audit_entry_ip on audit_entry (tenant, ip, seq);
  create index audit_entry_result on audit_entry (tenant, result, seq) where result <> 'success';
  create index audit_entry_time on audit_entry (tenant, occurred_at, seq);
  create index audit_entry_target on audit_entry using gin (target_ids);
  create table audit_head (
    tenant text primary key,
    seq int not null,
    hash text not null
  );
  create table audit_checkpoint (
    tenant text primary key,
    seq int not null,
    hash text not null,
    signature text not null,
    created_at timestamptz(3) not null
  );`;

// The service's role may not delete entries. This function may, with its owner's rights, and only
// old entries before a checkpoint.
const dropAudit = `
  create function drop_audit(which text) returns int
  language sql security definer set search_path = access, pg_temp as $$
    with gone as (
      delete from audit_entry e using audit_checkpoint c
      where c.tenant = which and e.tenant = c.tenant and e.seq <= c.seq and e.occurred_at < now() - interval '7 days'
      returning 1
    ) select count(*)::int from gone
  $$;`;

const scim = `
  create table scim_user (
    tenant text not null,
    id text not null,
    user_name_key text not null,
    external_id text not null,
    email_key text not null,
    resource jsonb not null,
    user_id text not null,
    invitation_id text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (tenant, id),
    constraint scim_user_name unique (tenant, user_name_key),
    constraint scim_user_email unique (tenant, email_key)
  );
  create index scim_user_external_id on scim_user (tenant, external_id);
  create index scim_user_account on scim_user (user_id, tenant);
  create index scim_user_invitation on scim_user (tenant, invitation_id);
  create table scim_member (
    tenant text not null,
    group_id text not null,
    scim_user_id text not null,
    created_at timestamptz(3) not null,
    maker jsonb,
    primary key (tenant, group_id, scim_user_id)
  );
  create index scim_member_user on scim_member (tenant, scim_user_id);
  create table scim_notice (
    tenant text not null,
    id text not null,
    resource_type text not null,
    attribute text not null,
    message text not null,
    resource_id text not null,
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null,
    primary key (tenant, id),
    constraint scim_notice_subject unique (tenant, resource_type, attribute, message, resource_id)
  );`;
