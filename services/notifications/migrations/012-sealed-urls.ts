import { Migration } from '@mikro-orm/migrations';

/**
 * The sealed URLs of webhook endpoints. The column in clear stays while an older version may run:
 * `sealUrls` empties it.
 */
export class SealedUrls extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhook_endpoint add column url_enc bytea,
        add column url_dek_id text not null default '',
        add column url_masked text not null default '';
      create index webhook_endpoint_clear_url on webhook_endpoint (tenant, id) where url <> '';`);
  }
}
