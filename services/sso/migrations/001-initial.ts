import { outboxTable } from '@bailiwick/outbox';
import { Migration } from '@mikro-orm/migrations';

export class Initial extends Migration {
  override up(): void {
    this.addSql(outboxTable);
    this.addSql(`
      create table domain (
        tenant text not null,
        id text not null,
        name text not null,
        status text not null,
        capture text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, id),
        constraint domain_tenant_name unique (tenant, name)
      );
      create index domain_name on domain (name);`);
    this.addSql(`
      create table provider (
        tenant text not null,
        id text not null,
        kind text not null,
        name text not null,
        active boolean not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, id)
      );`);
  }
}
