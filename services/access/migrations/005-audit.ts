import { Migration } from '@mikro-orm/migrations';

export class Audit extends Migration {
  override up(): void {
    this.addSql(checkpoints);
    this.addSql(drop);
    this.addSql('drop index audit_entry_seq;');
    this.addSql('alter table audit_entry add constraint audit_entry_seq unique (tenant, seq);');
  }
}

const checkpoints = `
  create table audit_checkpoint (
    tenant text primary key,
    seq int not null,
    hash text not null,
    signature text not null,
    created_at timestamptz(3) not null
  );`;

// The service's role may not delete entries. This function may, with its owner's rights, and only
// old entries before a checkpoint.
const drop = `
  create function drop_audit(which text) returns int
  language sql security definer set search_path = access, pg_temp as $$
    with gone as (
      delete from audit_entry e using audit_checkpoint c
      where c.tenant = which and e.tenant = c.tenant and e.seq <= c.seq and e.occurred_at < now() - interval '7 days'
      returning 1
    ) select count(*)::int from gone
  $$;`;
