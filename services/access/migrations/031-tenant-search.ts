import { textKey } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

const indexes = {
  tenant_name: `(${textKey('name')}), id`,
  tenant_slug_search: `(${textKey('slug')}), id`,
};

/** Finds tenants by the beginning of the name or slug. */
export class TenantSearch extends Migration {
  // `concurrently` lets rows be written while an index is built, and needs no transaction. A build
  // that was interrupted leaves an invalid index, which the next run replaces.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build waits for older transactions, and holds no lock that a call waits for.
    this.addSql(`set lock_timeout = '30min'`);
    for (const [name, columns] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on tenant (${columns})`);
    }
    this.addSql('reset lock_timeout');
  }
}
