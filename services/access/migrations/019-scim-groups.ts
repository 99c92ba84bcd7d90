import { Migration } from '@mikro-orm/migrations';

/**
 * The groups of a directory in the order of their IDs. Without it a deep page reads all groups of
 * the tenant.
 */
export class ScimGroups extends Migration {
  // `concurrently` lets rows change while the index is built, and needs no transaction. A build that
  // was interrupted leaves an invalid index, which the next run replaces.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`set lock_timeout = '30min'`);
    this.addSql('drop index concurrently if exists group_entry_scim');
    this.addSql(
      `create index concurrently group_entry_scim on group_entry (tenant, id) where source = 'scim'`,
    );
    this.addSql('reset lock_timeout');
  }
}
