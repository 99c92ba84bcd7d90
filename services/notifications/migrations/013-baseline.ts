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
      endpoints,
      deliveries,
      mails,
    ])
      this.addSql(statements);
  }
}

const endpoints = `
  create table webhook_endpoint (
    tenant text not null,
    id text not null,
    name text not null,
    url text not null,
    active boolean not null,
    event_types text[] not null,
    description text not null,
    rate_limit int not null,
    dek_id text not null,
    secret_enc bytea not null,
    disabled_reason text not null,
    disabled_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    previous_secret_enc bytea,
    previous_secret_until timestamptz(3),
    url_enc bytea,
    url_dek_id text not null default '',
    url_masked text not null default '',
    primary key (tenant, id)
  );
  create index webhook_endpoint_id on webhook_endpoint (id);
  create index webhook_endpoint_previous_secret on webhook_endpoint (previous_secret_until) where previous_secret_until is not null;
  create index webhook_endpoint_event_types on webhook_endpoint using gin (event_types) where active;
  create index webhook_endpoint_clear_url on webhook_endpoint (tenant, id) where url <> '';
  create table chat_endpoint (
    tenant text not null,
    id text not null,
    name text not null,
    kind text not null,
    active boolean not null,
    event_types text[] not null,
    description text not null,
    dek_id text not null,
    url_enc bytea not null,
    disabled_reason text not null,
    disabled_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (tenant, id)
  );
  create index chat_endpoint_id on chat_endpoint (id);
  create index chat_endpoint_event_types on chat_endpoint using gin (event_types) where active;
  create table deleted_endpoint (
    tenant text not null,
    endpoint text not null,
    deleted_at timestamptz(3) not null,
    primary key (tenant, endpoint)
  );
  create table endpoint_health (
    tenant text not null,
    endpoint text not null,
    failing_since timestamptz(3),
    exhausted_at timestamptz(3),
    told_at timestamptz(3),
    notices int not null default 0,
    paused_until timestamptz(3),
    pause_ms int not null default 0,
    parked boolean not null default false,
    release_size int not null default 8,
    release_at timestamptz(3),
    primary key (tenant, endpoint)
  );
  create index endpoint_health_parked on endpoint_health (release_at) where parked;
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
  create index webhook_portal_expiry on webhook_portal (expires_at);`;

const deliveries = `
  create table published_event (
    tenant text not null,
    id text not null,
    event text not null,
    published_at timestamptz(3) not null,
    primary key (tenant, id)
  );
  create index published_event_age on published_event (published_at);
  create table delivery_message (
    task text primary key,
    tenant text not null,
    endpoint text not null,
    operation text not null,
    event text not null,
    type text not null,
    delivery text not null,
    created_at timestamptz(3) not null,
    dek_id text not null,
    request bytea not null
  );
  create index delivery_message_delivery on delivery_message (tenant, endpoint, delivery);
  create index delivery_message_age on delivery_message (created_at);
  create index delivery_message_dek on delivery_message (tenant, dek_id, task);
  create table delivery_waiting (
    task text primary key,
    state text not null,
    lane text not null,
    operation text not null,
    tenant text not null,
    endpoint text not null,
    event text not null,
    attempt int not null,
    due_at timestamptz(3),
    queued_at timestamptz(3),
    enqueued_at timestamptz(3) not null,
    extra jsonb not null,
    traceparent text not null default '',
    dek_id text not null,
    request bytea not null,
    first_attempt int not null default 1,
    constraint delivery_waiting_state_check check (state in ('waiting', 'queued', 'parked', 'dead'))
  );
  create index delivery_waiting_due on delivery_waiting (lane, due_at) where state = 'waiting';
  create index delivery_waiting_queued on delivery_waiting (lane, queued_at) where state = 'queued';
  create index delivery_waiting_dead on delivery_waiting (enqueued_at) where state = 'dead';
  create index delivery_waiting_endpoint on delivery_waiting (tenant, endpoint);
  create index delivery_waiting_parked on delivery_waiting (tenant, endpoint, enqueued_at) where state = 'parked';
  create index delivery_waiting_under_way on delivery_waiting (tenant, endpoint, due_at) where state in ('waiting', 'queued');
  create index delivery_waiting_dek on delivery_waiting (tenant, dek_id, task);
  create table delivery_attempt (
    task text not null,
    attempt int not null,
    operation text not null,
    tenant text not null,
    endpoint text not null,
    event text not null,
    type text not null,
    delivery text not null,
    status text not null,
    status_code int not null,
    error text not null,
    message text not null,
    duration_ms int not null,
    started_at timestamptz(3) not null,
    next_attempt_at timestamptz(3),
    primary key (task, attempt)
  );
  create index delivery_attempt_endpoint on delivery_attempt (tenant, endpoint, started_at);
  create index delivery_attempt_age on delivery_attempt (started_at);
  create index delivery_attempt_tenant on delivery_attempt (tenant, started_at, task, attempt);
  create table delivery_hour (
    tenant text not null,
    endpoint text not null,
    hour timestamptz(3) not null,
    delivered int not null,
    retried int not null,
    failed int not null,
    total_ms bigint not null,
    longest_ms int not null,
    primary key (tenant, endpoint, hour)
  );
  create index delivery_hour_age on delivery_hour (hour);`;

const mails = `
  create table mail_suppression (
    hash bytea primary key,
    code int not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index mail_suppression_expires_at on mail_suppression (expires_at);`;
