import { Migration } from '@mikro-orm/migrations';

/** The counts of delivery attempts by endpoint and hour. */
export class DeliveryHours extends Migration {
  override up(): void {
    this.addSql(`
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
      create index delivery_hour_age on delivery_hour (hour);`);
    // Attempts are kept for 30 days. Those that processes of the previous version make after this
    // are not counted.
    this.addSql(`
      insert into delivery_hour
      select tenant, endpoint, date_trunc('hour', started_at, 'UTC'),
        count(*) filter (where status = 'delivered'), count(*) filter (where status = 'retry'), count(*) filter (where status = 'failed'),
        sum(duration_ms), max(duration_ms)
      from delivery_attempt
      where status in ('delivered', 'retry', 'failed') and (starts_with(endpoint, 'whk_') or starts_with(endpoint, 'slk_'))
      group by 1, 2, 3`);
  }
}
