import { Migration } from '@mikro-orm/migrations';

// Tenants_GetCounts and Tenants_GetTotals count the rows of a status up to a limit.
const indexes: Readonly<Record<string, string>> = {
  tenant_member_status: 'tenant_member (tenant, status)',
  tenant_status: `tenant (status) where status <> 'active'`,
};

/** The daily counts of sign-ins and denied calls, and indexes for counting. */
export class Counts extends Migration {
  // Each statement commits alone and can be repeated. `concurrently` lets rows change while an
  // index is built, and needs no transaction. A build that was interrupted leaves an invalid index,
  // which the next run replaces.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create table if not exists daily_count (
        tenant text not null,
        kind text not null,
        day date not null,
        count int not null,
        primary key (tenant, kind, day)
      )`);
    this.addSql('create index if not exists daily_count_age on daily_count (day)');
    // The indexes by result and by time limit what these read. Entries that processes of the
    // previous version store after them are not counted.
    this.addSql(denied);
    this.addSql(signIns);
    this.addSql(`set lock_timeout = '30min'`);
    for (const [name, definition] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${definition}`);
    }
    this.addSql('reset lock_timeout');
  }
}

const since = `(now() at time zone 'UTC')::date - 29`;

const denied = `
  insert into daily_count (tenant, kind, day, count)
  select tenant, 'denied', (occurred_at at time zone 'UTC')::date, count(*) from audit_entry
  where result = 'denied' and occurred_at >= ${since} group by 1, 3
  on conflict do nothing`;

const signIns = `
  insert into daily_count (tenant, kind, day, count)
  select place.tenant, 'sign_in', (e.occurred_at at time zone 'UTC')::date, count(*)
  from audit_entry e cross join lateral (
    select '' as tenant
    union all select m.tenant from tenant_member m where m.user_id = e.actor_id and m.status = 'active'
  ) as place
  where e.tenant = '' and e.action = 'user.signed_in' and e.occurred_at >= ${since} group by 1, 3
  on conflict do nothing`;
