import { Migration } from '@mikro-orm/migrations';

/** The IDs of providers whose addresses are registered before they are saved. */
export class ProviderReservations extends Migration {
  override up(): void {
    this.addSql(`
      create table provider_reservation (
        tenant text not null,
        id text not null,
        created_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index provider_reservation_created_at on provider_reservation (created_at);`);
  }
}
