import { Migration } from '@mikro-orm/migrations';

/** The unused recovery codes of tenants that require single sign-on. */
export class RecoveryCodes extends Migration {
  override up(): void {
    this.addSql(`
      create table sso_recovery_code (
        code_hash bytea primary key,
        tenant text not null,
        created_at timestamptz(3) not null
      );
      create index sso_recovery_code_tenant on sso_recovery_code (tenant);`);
  }
}
