import { Migration } from '@mikro-orm/migrations';

/** Sent messages, kept to show and to resend them. */
export class Messages extends Migration {
  override up(): void {
    this.addSql(`
      create table delivery_message (
        task text primary key,
        tenant text not null,
        endpoint text not null,
        operation text not null,
        event text not null,
        type text not null,
        delivery text not null,
        created_at timestamptz(3) not null,
        dek_id text not null,
        request bytea not null
      );
      create index delivery_message_delivery on delivery_message (tenant, endpoint, delivery);
      create index delivery_message_age on delivery_message (created_at);
      create index delivery_message_dek on delivery_message (tenant, dek_id, task);`);
    this.addSql(`
      create table deleted_endpoint (
        tenant text not null,
        endpoint text not null,
        deleted_at timestamptz(3) not null,
        primary key (tenant, endpoint)
      );`);
  }
}
