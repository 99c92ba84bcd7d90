import { Migration } from '@mikro-orm/migrations';

/** The methods of a session beyond its first one, and their assurance. */
export class SessionAssurance extends Migration {
  override up(): void {
    for (const table of ['session', 'sign_in_code'])
      this.addSql(
        `alter table ${table} add column further_methods text[] not null default '{}', add column assurance text not null default 'aal1'`,
      );
  }
}
