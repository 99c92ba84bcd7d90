import { Migration } from '@mikro-orm/migrations';

/**
 * The tenants whose audit has the start of a support session: it gets the end too. Open sessions end
 * within an hour, in the audit of the platform only.
 */
export class SupportEnds extends Migration {
  override up(): void {
    this.addSql("alter table session add column told_tenants text[] not null default '{}';");
  }
}
