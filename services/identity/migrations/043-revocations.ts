import { revocationTables } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

/** The log of revoked keys, and its holders. */
export class Revocations extends Migration {
  override up(): void {
    this.addSql(revocationTables);
  }
}
