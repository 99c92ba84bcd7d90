import { Migration } from '@mikro-orm/migrations';

/**
 * The counts of each hour, and the changes of the last 30 days, which are counted from the audit
 * once. A count that a new process has made meanwhile stays.
 */
export class HourlyCounts extends Migration {
  override up(): void {
    this.addSql(
      'create table if not exists hourly_count (tenant text not null, kind text not null, hour timestamptz(3) not null, count int not null, primary key (tenant, kind, hour))',
    );
    this.addSql('create index if not exists hourly_count_age on hourly_count (hour)');
    this.addSql(pastChanges);
  }
}

// Tenant by tenant, whose entries of these days an index finds: the history before them is not read.
const pastChanges = `
  insert into daily_count (tenant, kind, day, count)
  select e.tenant, k.kind, (e.occurred_at at time zone 'UTC')::date, sum(k.change)
  from tenant t cross join lateral (
    select tenant, action, occurred_at from audit_entry
    where tenant = t.id and result = 'success' and occurred_at >= date_trunc('day', now(), 'UTC') - interval '29 days'
    offset 0
  ) e join (values
    ('tenant.member_added', 'members', 1), ('tenant.member_removed', 'members', -1),
    ('invitation.created', 'invitations', 1),
    ('group.created', 'groups', 1), ('group.deleted', 'groups', -1),
    ('role.created', 'roles', 1), ('role.deleted', 'roles', -1),
    ('bot.created', 'bots', 1), ('bot.deleted', 'bots', -1),
    ('oauth_app.created', 'apps', 1), ('oauth_app.deleted', 'apps', -1)
  ) as k (action, kind, change) on k.action = e.action
  group by 1, 2, 3
  on conflict (tenant, kind, day) do nothing`;
