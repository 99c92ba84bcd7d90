import { Migration } from '@mikro-orm/migrations';

export class ChatEndpoints extends Migration {
  override up(): void {
    this.addSql(`
      create table chat_endpoint (
        tenant text not null,
        id text not null,
        name text not null,
        kind text not null,
        active boolean not null,
        event_types text[] not null,
        description text not null,
        dek_id text not null,
        url_enc bytea not null,
        disabled_reason text not null,
        disabled_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index chat_endpoint_id on chat_endpoint (id);`);
  }
}
