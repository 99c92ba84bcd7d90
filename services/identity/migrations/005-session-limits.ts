import { Migration } from '@mikro-orm/migrations';

export class SessionLimits extends Migration {
  override up(): void {
    // Sessions of the previous version get the platform's limit.
    this.addSql(`alter table session add column idle_minutes int not null default 10080`);
  }
}
