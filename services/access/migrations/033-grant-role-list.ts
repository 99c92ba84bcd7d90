import { Migration } from '@mikro-orm/migrations';

/** Lists the holders of a role in order of their grants. */
export class GrantRoleList extends Migration {
  // Like the indexes of TenantSearch: built while rows are written, and built again if interrupted.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`set lock_timeout = '30min'`);
    this.addSql('drop index concurrently if exists grant_entry_role_list');
    this.addSql(
      'create index concurrently grant_entry_role_list on grant_entry (tenant, subject_type, role, id)',
    );
    this.addSql('reset lock_timeout');
  }
}
