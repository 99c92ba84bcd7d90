import { Migration } from '@mikro-orm/migrations';

// Audit_List reads a tenant's entries in the order of their sequence numbers. Each index holds the
// entries of one filter in that order, so a page reads as many rows as it shows, and a filter that
// matches nothing reads none. The index by time counts the entries of a period and reads short
// ones. One entry has several targets, so their index is a GIN index without an order: a page sorts
// all entries about a target. Most entries succeeded, so the index of results leaves these out.
const indexes: Readonly<Record<string, string>> = {
  audit_entry_of_actor: '(tenant, actor_id, seq)',
  audit_entry_action: '(tenant, action, seq)',
  audit_entry_operation: '(tenant, operation, seq)',
  audit_entry_ip: '(tenant, ip, seq)',
  audit_entry_result: `(tenant, result, seq) where result <> 'success'`,
  audit_entry_time: '(tenant, occurred_at, seq)',
  audit_entry_target: 'using gin (target_ids)',
};

/** The indexes for the filters of Audit_List. */
export class AuditSearch extends Migration {
  // `concurrently` lets entries be appended while an index is built, and needs no transaction. A
  // build that was interrupted leaves an invalid index, which the next run replaces.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build waits for older transactions, and holds no lock that a call waits for.
    this.addSql(`set lock_timeout = '30min'`);
    for (const [name, definition] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on audit_entry ${definition}`);
    }
    this.addSql('reset lock_timeout');
  }
}
