import { Migration } from '@mikro-orm/migrations';

/**
 * From this version on, each change of a webhook endpoint revokes what processes have cached of it.
 * No table changes.
 */
export class RevokedEndpoints extends Migration {
  override up(): void {
    // Only the version counts: `settledFrom`.
  }
}
