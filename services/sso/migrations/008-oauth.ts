import { Migration } from '@mikro-orm/migrations';

/** OAuth 2.0 providers, whose addresses no discovery document names. */
export class Oauth extends Migration {
  override up(): void {
    this.addSql(`
      alter table provider
        add column preset text not null default '',
        add column authorization_url text not null default '',
        add column token_url text not null default '',
        add column userinfo_url text not null default '',
        add column emails_url text not null default '';`);
  }
}
