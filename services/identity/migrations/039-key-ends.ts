import { Migration } from '@mikro-orm/migrations';

/**
 * The latest end of keys whose maker may grant the rights of their bot only until a time. Null =
 * none. Processes of the previous version make keys without it, which end in time as well.
 */
export class KeyEnds extends Migration {
  override up(): void {
    this.addSql('alter table bot_key add column if not exists latest_end timestamptz(3)');
  }
}
