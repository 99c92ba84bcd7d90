import { Migration } from '@mikro-orm/migrations';

/** The limits of the sessions that sent an invitation or an offer. Older rows have no such limits. */
export class LimitsOfGivers extends Migration {
  override up(): void {
    this.addSql(`
      alter table invitation
        add column inviter_limited_to text not null default '',
        add column inviter_voucher text not null default ''
    `);
    this.addSql(`
      alter table membership_offer
        add column adder_limited_to text not null default '',
        add column adder_voucher text not null default ''
    `);
  }
}
