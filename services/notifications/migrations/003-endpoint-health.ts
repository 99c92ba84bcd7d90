import { rateWindowTable } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

/** Paused endpoints, and their parked tasks. */
export class EndpointHealth extends Migration {
  override up(): void {
    this.addSql(rateWindowTable);
    this.addSql(`
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
      create index endpoint_health_parked on endpoint_health (release_at) where parked;`);
    this.addSql(`
      alter table delivery_waiting add column first_attempt int not null default 1;
      alter table delivery_waiting drop constraint delivery_waiting_state_check;
      alter table delivery_waiting add constraint delivery_waiting_state_check check (state in ('waiting', 'queued', 'parked', 'dead'));
      create index delivery_waiting_parked on delivery_waiting (tenant, endpoint, enqueued_at) where state = 'parked';
      create index delivery_waiting_under_way on delivery_waiting (tenant, endpoint, due_at) where state in ('waiting', 'queued');`);
  }
}
