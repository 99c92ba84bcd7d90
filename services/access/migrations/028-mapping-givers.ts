import { Migration } from '@mikro-orm/migrations';

/** The one who answered for the mappings when they were stated last. */
export class MappingGivers extends Migration {
  override up(): void {
    this.addSql('alter table mapping_statement add column giver jsonb');
  }
}
