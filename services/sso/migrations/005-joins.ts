import { Migration } from '@mikro-orm/migrations';

export class Joins extends Migration {
  override up(): void {
    this.addSql(`
      create table handled_join (
        tenant text not null,
        event text not null,
        created_at timestamptz(3) not null,
        primary key (tenant, event)
      );
      create index handled_join_created_at on handled_join (created_at);`);
  }
}
