import { Migration } from '@mikro-orm/migrations';

/**
 * Whether a mail has reached the user of an address, or a tenant's provider vouches for it. False only
 * for accounts that a social sign-in made by the provider's word alone.
 */
export class ProvenMailboxes extends Migration {
  override up(): void {
    this.addSql('alter table user_account add column mailbox_proven boolean not null default true');
  }
}
