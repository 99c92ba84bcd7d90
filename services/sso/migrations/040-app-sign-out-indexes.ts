import { Migration } from '@mikro-orm/migrations';

/** Finds the apps that a user made, and the ends of sign-ins to the apps of a tenant. */
export class AppSignOutIndexes extends Migration {
  // `concurrently` lets rows be written while an index is built, and needs no transaction. A build
  // that was interrupted leaves an invalid index, which is dropped.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`set lock_timeout = '30min'`);
    this.addSql('drop index concurrently if exists app_created_by');
    this.addSql('create index concurrently app_created_by on app (created_by)');
    this.addSql('drop index concurrently if exists app_sign_out_tenant');
    this.addSql('create index concurrently app_sign_out_tenant on app_sign_out (tenant)');
    this.addSql('reset lock_timeout');
  }
}
