import { Migration } from '@mikro-orm/migrations';

const indexes: Readonly<Record<string, string>> = {
  // Users_Import finds the users that it has imported before.
  user_account_external_id: `user_account (external_id) where external_id <> ''`,
  // Whether there are passwords whose hashes another system made.
  user_account_imported_hash: `user_account (id) where password_hash like 'imported %'`,
};

/** The indexes for imported users. */
export class Import extends Migration {
  // `concurrently` lets users change while the indexes are built, and needs no transaction.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`set lock_timeout = '30min'`);
    for (const [name, definition] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${definition}`);
    }
    this.addSql('reset lock_timeout');
  }
}
