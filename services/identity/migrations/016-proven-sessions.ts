import { Migration } from '@mikro-orm/migrations';

/** When a session last proved a factor after its sign-in. */
export class ProvenSessions extends Migration {
  override up(): void {
    this.addSql('alter table session add column proven_at timestamptz(3)');
  }
}
