import { Migration } from '@mikro-orm/migrations';

/**
 * The key that chooses which addresses without an account are treated as if they had an imported
 * hash. A key of the ring would choose others after its rotation, and so reveal them.
 */
export class LookalikeKey extends Migration {
  override up(): void {
    this.addSql(`
      create table lookalike_key (name text primary key, key bytea not null);
      insert into lookalike_key values
        ('imported', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));`);
  }
}
