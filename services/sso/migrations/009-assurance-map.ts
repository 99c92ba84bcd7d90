import { Migration } from '@mikro-orm/migrations';

/** The values of a provider that prove more than one factor. */
export class AssuranceMap extends Migration {
  override up(): void {
    this.addSql("alter table provider add column assurance_map jsonb not null default '{}'");
  }
}
