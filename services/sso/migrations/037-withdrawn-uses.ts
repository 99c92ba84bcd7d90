import { Migration } from '@mikro-orm/migrations';

/**
 * From this version on, the withdrawal of an app's access revokes what followers have cached of its
 * tokens. No table changes.
 */
export class WithdrawnUses extends Migration {
  override up(): void {
    // Only the version counts: `settledFrom`.
  }
}
