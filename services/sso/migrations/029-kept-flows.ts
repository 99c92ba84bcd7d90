import { Migration } from '@mikro-orm/migrations';

/**
 * A flow outlives its ten minutes and its use, so that a failed sign-in can be repeated with the
 * same address to return to. A process of the earlier version keeps its
 * flows until they expire.
 */
export class KeptFlows extends Migration {
  override up(): void {
    this.addSql(`
      alter table sign_in_flow
        add column kept_until timestamptz(3) not null default now(),
        add column restarted boolean not null default false;
      create index sign_in_flow_kept_until on sign_in_flow (kept_until);`);
  }
}
