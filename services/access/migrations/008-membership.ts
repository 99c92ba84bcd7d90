import { Migration } from '@mikro-orm/migrations';

/** Memberships that need the user's consent. Existing memberships do not change. */
export class Membership extends Migration {
  override up(): void {
    this.addSql(`
      create table membership_offer (
        tenant text not null,
        user_id text not null,
        status text not null,
        adder_type text not null,
        added_by text not null,
        adder_narrowed_to text[] not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, user_id)
      );
      create index membership_offer_user on membership_offer (user_id, tenant);`);
  }
}
