import { Migration } from '@mikro-orm/migrations';

/** The parts of a directory's requests that are not stored. */
export class ScimNotices extends Migration {
  override up(): void {
    this.addSql(`
      create table scim_notice (
        tenant text not null,
        id text not null,
        resource_type text not null,
        attribute text not null,
        message text not null,
        resource_id text not null,
        first_at timestamptz(3) not null,
        last_at timestamptz(3) not null,
        primary key (tenant, id),
        constraint scim_notice_subject unique (tenant, resource_type, attribute, message, resource_id)
      );`);
  }
}
