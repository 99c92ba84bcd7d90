import { Migration } from '@mikro-orm/migrations';

/** The people and the members of groups that a directory provisions by SCIM. */
export class Scim extends Migration {
  override up(): void {
    this.addSql(`
      create table scim_user (
        tenant text not null,
        id text not null,
        user_name_key text not null,
        external_id text not null,
        email_key text not null,
        resource jsonb not null,
        user_id text not null,
        invitation_id text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, id),
        constraint scim_user_name unique (tenant, user_name_key),
        constraint scim_user_email unique (tenant, email_key)
      );
      create index scim_user_external_id on scim_user (tenant, external_id);
      create index scim_user_account on scim_user (user_id, tenant);
      create index scim_user_invitation on scim_user (tenant, invitation_id);
      create table scim_member (
        tenant text not null,
        group_id text not null,
        scim_user_id text not null,
        created_at timestamptz(3) not null,
        primary key (tenant, group_id, scim_user_id)
      );
      create index scim_member_user on scim_member (tenant, scim_user_id);`);
    // A membership that the directory has disabled may be enabled by it.
    this.addSql(`set local lock_timeout = '5s'`);
    this.addSql(`alter table tenant_member add column disabled_by text not null default ''`);
  }
}
