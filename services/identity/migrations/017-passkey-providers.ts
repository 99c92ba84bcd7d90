import { Migration } from '@mikro-orm/migrations';

/** The provider in whose session a passkey was added. */
export class PasskeyProviders extends Migration {
  override up(): void {
    this.addSql("alter table passkey add column provider text not null default ''");
  }
}
