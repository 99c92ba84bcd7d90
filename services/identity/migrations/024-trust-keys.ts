import { Migration } from '@mikro-orm/migrations';

/**
 * The public keys of issuers that cannot be reached, and an index for bots that are named without
 * their tenant, as by a client ID.
 */
export class TrustKeys extends Migration {
  // Each statement commits alone and can be repeated, because calls lock the two tables in another
  // order.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql("alter table bot_trust add column if not exists jwks text not null default ''");
    this.addSql('create index if not exists bot_id on bot (id)');
  }
}
