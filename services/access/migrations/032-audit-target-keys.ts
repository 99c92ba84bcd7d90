import { Migration } from '@mikro-orm/migrations';

/** Finds a tenant's audit entries by target: others have targets with the same ID, such as roles. */
export class AuditTargetKeys extends Migration {
  // Like the indexes of TenantSearch: built while rows are written, and built again if interrupted.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`set lock_timeout = '30min'`);
    this.addSql(`
      create or replace function audit_target_keys(tenant text, target_ids text[]) returns text[]
      language sql immutable parallel safe return array(select tenant || ' ' || id from unnest(target_ids) id)`);
    this.addSql('drop index concurrently if exists audit_entry_target_key');
    this.addSql(
      'create index concurrently audit_entry_target_key on audit_entry using gin (audit_target_keys(tenant, target_ids))',
    );
    this.addSql('reset lock_timeout');
  }
}
