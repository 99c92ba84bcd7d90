import { dekTable } from '@bailiwick/keys';
import { outboxTable } from '@bailiwick/outbox';
import { Migration } from '@mikro-orm/migrations';

export class Initial extends Migration {
  override up(): void {
    this.addSql(outboxTable);
    this.addSql(dekTable);
    this.addSql(`
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
        primary key (tenant, id)
      );
      create index webhook_endpoint_id on webhook_endpoint (id);`);
    this.addSql(`
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
      create index delivery_attempt_age on delivery_attempt (started_at);`);
    this.addSql(`
      create table delivery_waiting (
        task text primary key,
        state text not null check (state in ('waiting', 'queued', 'dead')),
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
        request bytea not null
      );
      create index delivery_waiting_due on delivery_waiting (lane, due_at) where state = 'waiting';
      create index delivery_waiting_queued on delivery_waiting (lane, queued_at) where state = 'queued';
      create index delivery_waiting_dead on delivery_waiting (enqueued_at) where state = 'dead';
      create index delivery_waiting_endpoint on delivery_waiting (tenant, endpoint);`);
  }
}
