import { Migration } from '@mikro-orm/migrations';

/**
 * The tenants that were told of the start of a support session, which are told of its end too. Open
 * ones end within an hour, and tell the platform only.
 */
export class SupportEnds extends Migration {
  override up(): void {
    this.addSql("alter table session add column told_tenants text[] not null default '{}';");
  }
}
