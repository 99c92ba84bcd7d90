import { Migration } from '@mikro-orm/migrations';

/**
 * Who changed the identifying settings of a provider, and who confirmed it. The providers of
 * earlier versions count as confirmed until their next change.
 */
export class ProviderConfirmation extends Migration {
  override up(): void {
    this.addSql(`
      alter table provider
        add column vouch_id text not null default '',
        add column voucher text not null default '',
        add column saved_by text not null default '',
        add column confirmed_by text not null default ''`);
  }
}
