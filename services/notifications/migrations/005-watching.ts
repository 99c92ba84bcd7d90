import { Migration } from '@mikro-orm/migrations';

/** Secret rotation, the attempt list, and idempotent publishing of application events. */
export class Watching extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhook_endpoint add column previous_secret_enc bytea, add column previous_secret_until timestamptz(3);
      create index webhook_endpoint_previous_secret on webhook_endpoint (previous_secret_until) where previous_secret_until is not null;`);
    this.addSql(
      'create index delivery_attempt_tenant on delivery_attempt (tenant, started_at, task, attempt);',
    );
    this.addSql(`
      create table published_event (
        tenant text not null,
        id text not null,
        event text not null,
        published_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index published_event_age on published_event (published_at);`);
  }
}
