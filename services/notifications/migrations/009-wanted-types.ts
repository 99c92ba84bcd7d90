import { Migration } from '@mikro-orm/migrations';

/** Fan-out asks for each event about a user whether any endpoint wants its type. */
export class WantedTypes extends Migration {
  override up(): void {
    for (const table of ['webhook_endpoint', 'chat_endpoint'])
      this.addSql(
        `create index ${table}_event_types on ${table} using gin (event_types) where active`,
      );
  }
}
