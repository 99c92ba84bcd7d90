import { Migration } from '@mikro-orm/migrations';

/**
 * Who answers for the roles and groups that a provider or a domain hands out. Null until its next
 * save: it then hands out everything that it names.
 */
export class Givers extends Migration {
  override up(): void {
    this.addSql(`
      alter table provider add column giver jsonb;
      alter table domain add column giver jsonb;`);
  }
}
