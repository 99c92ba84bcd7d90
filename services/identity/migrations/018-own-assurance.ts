import { Migration } from '@mikro-orm/migrations';

/**
 * The assurance of a session by the user's own factors, and the tenant in whose provider's session a
 * factor was added: in other tenants such a factor proves no more than that provider.
 */
export class OwnAssurance extends Migration {
  override up(): void {
    this.addSql("alter table session add column own_assurance text not null default ''");
    this.addSql(
      "alter table sign_in_code add column own_assurance text not null default '', add column proven_at timestamptz(3)",
    );
    for (const table of ['totp_factor', 'passkey', 'recovery_code'])
      this.addSql(`alter table ${table} add column sso_tenant text not null default ''`);
  }
}
