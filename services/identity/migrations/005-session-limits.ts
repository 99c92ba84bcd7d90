import { Migration } from '@mikro-orm/migrations';

export class SessionLimits extends Migration {
  override up(): void {
    // A session of the version before gets the platform's limit.
    this.addSql(`alter table session add column idle_minutes int not null default 10080`);
  }
}
