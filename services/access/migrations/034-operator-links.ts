import { Migration } from '@mikro-orm/migrations';

/**
 * The links that make the first operator. `if not exists`: the migrations before it are not
 * transactional, and so their record can be missing beside all tables.
 */
export class OperatorLinks extends Migration {
  override up(): void {
    this.addSql(
      'create table if not exists operator_link (token_hash bytea not null, expires_at timestamptz(3) not null, primary key (token_hash))',
    );
  }
}
