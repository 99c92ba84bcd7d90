import { Migration } from '@mikro-orm/migrations';

export class Roles extends Migration {
  override up(): void {
    this.addSql(roles);
    this.addSql(subjects);
    this.addSql('create index grant_entry_list on grant_entry (tenant, subject_type, id);');
    this.addSql('create index grant_entry_role on grant_entry (tenant, role);');
  }
}

const roles = `
  create table role_entry (
    tenant text not null,
    id text not null,
    slug text not null,
    name text not null,
    description text not null,
    permissions text[] not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (tenant, id),
    constraint role_entry_slug unique (tenant, slug)
  );`;

// Users and bots that identity has reported as disabled or deleted: they have no rights, despite
// their grants.
const subjects = `
  create table subject_state (
    subject text primary key,
    state text not null,
    since timestamptz(3) not null
  );`;
