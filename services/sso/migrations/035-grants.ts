import { Migration } from '@mikro-orm/migrations';

/** Finds a grant by the codes and tokens that belong to it. */
export class Grants extends Migration {
  override up(): void {
    this.addSql(
      "create index issuer_record_of_grant on issuer_record (grant_hash) where model = 'Grant'",
    );
  }
}
