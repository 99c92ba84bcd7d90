import { Migration } from '@mikro-orm/migrations';

/** The links that make the first operator. */
export class OperatorLinks extends Migration {
  override up(): void {
    this.addSql(
      'create table operator_link (token_hash bytea not null, expires_at timestamptz(3) not null, primary key (token_hash))',
    );
  }
}
