import { Migration } from '@mikro-orm/migrations';

/**
 * The metadata of a SAML provider that are read daily, and the certificates that come and go with
 * them. A process of the earlier version writes none of these columns: its providers are due at
 * once, so that the expiry of their certificates is announced too.
 */
export class MetadataRollover extends Migration {
  override up(): void {
    this.addSql(`
      alter table provider
        add column metadata_url text not null default '',
        add column metadata_signer text not null default '',
        add column metadata_read_at timestamptz(3),
        add column metadata_error text not null default '',
        add column metadata_failures integer not null default 0,
        add column metadata_due_at timestamptz(3),
        add column certificate_changes text not null default 'auto',
        add column pending_certificates jsonb not null default '[]',
        add column leaving_certificates jsonb not null default '[]',
        add column certificates_due_at timestamptz(3) not null default now(),
        add column expiry_notice text not null default '';
      create index provider_metadata_due on provider (metadata_due_at) where metadata_due_at is not null;
      create index provider_certificates_due on provider (certificates_due_at) where kind = 'saml';`);
  }
}
