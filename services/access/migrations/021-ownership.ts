import { Migration } from '@mikro-orm/migrations';

/**
 * Whether a user was made an owner without being asked, and has not accepted: such ownership gives
 * rights and binds the user to nothing. Owners of before are bound as they were.
 */
export class Ownership extends Migration {
  override up(): void {
    this.addSql(
      'alter table grant_entry add column if not exists unasked boolean not null default false',
    );
  }
}
