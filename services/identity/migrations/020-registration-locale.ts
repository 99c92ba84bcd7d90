import { Migration } from '@mikro-orm/migrations';

/** The language of a registration, for its mails and the user. */
export class RegistrationLocale extends Migration {
  override up(): void {
    this.addSql("alter table registration add column locale text not null default ''");
  }
}
