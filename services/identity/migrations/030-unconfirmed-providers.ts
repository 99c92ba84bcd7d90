import { Migration } from '@mikro-orm/migrations';

/**
 * The unconfirmed changes of providers, and the links and sessions under them. The providers of earlier
 * versions count as confirmed until their next change.
 */
export class UnconfirmedProviders extends Migration {
  // Calls lock these tables in several orders, so each statement commits alone.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create table if not exists unconfirmed_provider (
        tenant text not null,
        provider text not null,
        id text not null,
        voucher text not null,
        created_at timestamptz(3) not null default now(),
        primary key (tenant, provider, id)
      )`);
    for (const table of ['identity_link', 'sign_in_code', 'session'])
      this.addSql(
        `alter table ${table} add column if not exists unconfirmed boolean not null default false`,
      );
  }
}
