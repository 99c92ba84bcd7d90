import { Migration } from '@mikro-orm/migrations';

/** Finds a grant, and the kept answer to its last refresh, among all tokens that belong to it. */
export class Grants extends Migration {
  override up(): void {
    this.addSql(
      "create index issuer_record_of_grant on issuer_record (grant_hash) where model = any (array['Grant', 'RefreshAnswer'])",
    );
  }
}
