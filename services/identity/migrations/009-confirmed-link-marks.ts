import { Migration } from '@mikro-orm/migrations';

/**
 * Fills the columns of 006. In its own transaction, so that the table is not locked while its rows
 * are written.
 */
export class ConfirmedLinkMarks extends Migration {
  override up(): void {
    // The account's password is older than this rule, so it may confirm. Links made since 006 have
    // trust 'address' and get no mark.
    this.addSql(`
      update identity_link l set password_mark = encode(sha256(convert_to(u.password_hash, 'UTF8')), 'hex')
      from user_account u where u.id = l.user_id and u.password_hash is not null and l.trust = 'domain' and l.password_mark is null`);
    // An account first linked by another tenant's provider could be taken over through a domain
    // that changes owners.
    this.addSql(`
      update identity_link l set trust = 'address' where l.trust = 'domain'
        and exists (select from identity_link o where o.user_id = l.user_id and o.tenant <> l.tenant and o.created_at < l.created_at)`);
  }
}
