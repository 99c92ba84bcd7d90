import { Migration } from '@mikro-orm/migrations';

/**
 * With whose rights a person of a directory enters a group after accepting an invitation. Null = the
 * row is older, and the person enters only a group without roles.
 */
export class Makers extends Migration {
  override up(): void {
    this.addSql('alter table scim_member add column if not exists maker jsonb');
  }
}
