import { Migration } from '@mikro-orm/migrations';

export class Domains extends Migration {
  override up(): void {
    this.addSql(proof);
    this.addSql(lift);
  }
}

// Many tenants may claim a name; only one of them has verified it.
const proof = `
  alter table domain
    add column default_role text not null default '',
    add column challenge text not null default '',
    add column challenge_expires_at timestamptz(3) not null default now(),
    add column verified_at timestamptz(3),
    add column last_checked_at timestamptz(3),
    add column failure_reason text not null default '',
    add column failed_days int not null default 0,
    add column next_check_at timestamptz(3);
  create unique index domain_verified on domain (name) where status = 'verified';
  create index domain_expiry on domain (challenge_expires_at) where status = 'pending';
  create index domain_next_check on domain (next_check_at) where next_check_at is not null;`;

const lift = `
  create table sso_lift (
    tenant text primary key,
    until timestamptz(3) not null
  );`;
