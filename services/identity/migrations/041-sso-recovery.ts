import { Migration } from '@mikro-orm/migrations';

/**
 * The recovery code of a sign-in that waits for a second factor. Processes of the previous version
 * store none, and refuse such a sign-in where the domain requires single sign-on.
 */
export class SsoRecovery extends Migration {
  override up(): void {
    this.addSql(`
      alter table login_challenge
        add column if not exists recovery_tenant text not null default '',
        add column if not exists recovery_hash bytea`);
  }
}
