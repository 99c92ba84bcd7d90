import { outboxTable } from '@bailiwick/outbox';
import { Migration } from '@mikro-orm/migrations';

export class Initial extends Migration {
  override up(): void {
    this.addSql(outboxTable);
    this.addSql(tenants);
    this.addSql(groups);
    this.addSql(grants);
    this.addSql(audit);
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
    constraint tenant_slug unique (slug)
  );
  create index tenant_created_by on tenant (created_by);
  create table tenant_member (
    tenant text not null,
    user_id text not null,
    status text not null,
    source text not null,
    joined_at timestamptz(3) not null,
    primary key (tenant, user_id)
  );
  create index tenant_member_user on tenant_member (user_id, tenant);`;

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
  create table group_member (
    tenant text not null,
    group_id text not null,
    user_id text not null,
    created_at timestamptz(3) not null,
    primary key (tenant, group_id, user_id)
  );
  create index group_member_user on group_member (user_id, tenant);`;

// The subject of a group's grant is the group's key. A member's group stores its ancestors' keys,
// so their grants are found without reading the groups in between.
const grants = `
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
    primary key (tenant, id),
    constraint grant_entry_key unique (tenant, subject_type, subject, role, resource)
  );
  create index grant_entry_subject on grant_entry (subject, subject_type, tenant);`;

// Ids ascend with time, so the table can be partitioned by ranges of its primary key.
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
    primary key (tenant, id)
  );
  comment on table audit_entry is 'append-only';
  create index audit_entry_seq on audit_entry (tenant, seq);
  create index audit_entry_actor on audit_entry (actor_id, id);
  create table audit_head (
    tenant text primary key,
    seq int not null,
    hash text not null
  );`;
